using Picollo.Cli.Shell;

namespace Picollo.Cli.Jitter;

/// <summary>Lines on standard output, on a terminal rewritten in place; what is not as asked on standard error.</summary>
/// <param name="output">For the results.</param>
/// <param name="error">For the rest.</param>
/// <param name="inNanoseconds">Instead of microseconds.</param>
/// <param name="window">The terminal's size, asked each time; null where lines are not to be rewritten.</param>
internal sealed class JitterTextReport(TextWriter output, TextWriter error, bool inNanoseconds, Func<(int Columns, int Rows)?> window)
    : JitterReport
{
    private readonly JitterText _text = new(inNanoseconds);
    private readonly LinesInPlace _lines = new(output);

    public override void Begin(IReadOnlyList<CpuResult> cpus)
    {
        output.WriteLine(JitterText.Header([.. cpus.Select(cpu => cpu.Cpu)]));
        output.Flush();
    }

    public override void Add(IReadOnlyList<CpuResult> cpus, TimeSpan elapsed) => Show(cpus);

    public override void Note(string text)
    {
        _lines.Leave();
        foreach (string line in Wrapping.Wrap($"picollo: {ForeignText.Clean(text)}"))
        {
            error.WriteLine(line);
        }
    }

    public override void End(JitterResult result)
    {
        Show(result.Cpus);
        output.WriteLine();
        _text.WritePercentiles(output, result);
        if (result.Break is { } found)
        {
            output.WriteLine();
            foreach (string line in Wrapping.Wrap(ForeignText.Clean(_text.BreakLine(found))))
            {
                output.WriteLine(line);
            }
        }

        output.Flush();
    }

    private void Show(IReadOnlyList<CpuResult> cpus) => _lines.Show(
        [.. cpus.Select((cpu, index) => _text.Line(index, cpu.Cpu, cpu.ThreadId, cpu.Status))], window());
}
