using Picollo.Cli.Shell;

namespace Picollo.Cli.Jitter;

/// <summary>Lines on standard output, on a terminal rewritten in place; what is not as asked on standard error.</summary>
internal sealed class JitterTextReport(Terminal terminal, JitterOptions options) : JitterReport
{
    private readonly JitterText _text = new(options.InNanoseconds);
    private readonly LinesInPlace _lines = new(terminal.Out);

    public override void Begin(IReadOnlyList<CpuResult> cpus)
    {
        terminal.Out.WriteLine(JitterText.Header([.. cpus.Select(cpu => cpu.Cpu)]));
        terminal.Out.Flush();
    }

    public override void Add(IReadOnlyList<CpuResult> cpus, TimeSpan elapsed) => Show(cpus);

    public override void Note(string text)
    {
        _lines.Leave();
        foreach (string line in Wrapping.Wrap($"picollo: {ForeignText.Clean(text)}"))
        {
            terminal.Error.WriteLine(line);
        }
    }

    public override void End(JitterResult result)
    {
        Show(result.Cpus);
        terminal.Out.WriteLine();
        _text.WritePercentiles(terminal.Out, result);
        if (result.Break is { } found)
        {
            terminal.Out.WriteLine();
            foreach (string line in Wrapping.Wrap(ForeignText.Clean(_text.BreakLine(found))))
            {
                terminal.Out.WriteLine(line);
            }
        }

        terminal.Out.Flush();
    }

    private void Show(IReadOnlyList<CpuResult> cpus) => _lines.Show(
        [.. cpus.Select((cpu, index) => _text.Line(index, cpu.Cpu, cpu.ThreadId, cpu.Status))],
        terminal.OutIsPlain || !options.IsLive ? null : (WindowSize.Columns ?? terminal.Width, WindowSize.Rows ?? 0));
}
