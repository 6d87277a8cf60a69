using Picollo.Diagnostics;
using Picollo.Export.Text;
using Picollo.Metrics;

namespace Picollo.Cli.Jitter;

/// <summary>Writes the lines of jitterdebugger to standard output, and a table of percentiles at the end. On a terminal, the lines are
/// updated in place. Notes are written to standard error.</summary>
/// <param name="window">A function that returns the current size of the terminal; null if lines are not updated in place.</param>
internal sealed class JitterText(TextWriter output, TextWriter error, bool inNanoseconds, Func<(int Columns, int Rows)?> window)
    : JitterReport
{
    private const ulong NanosecondsPerMicrosecond = 1000;

    private readonly LinesInPlace _lines = new(output);
    private readonly string _unit = inNanoseconds ? "ns" : "us";
    private readonly ulong _divisor = inNanoseconds ? 1 : NanosecondsPerMicrosecond;

    public override void Begin(IReadOnlyList<CpuResult> cpus)
    {
        output.WriteLine($"affinity: {CpuList.Describe([.. cpus.Select(cpu => cpu.Cpu)])}");
        output.Flush();
    }

    public override void Add(IReadOnlyList<CpuResult> cpus, TimeSpan elapsed) =>
        _lines.Show([.. cpus.Select((cpu, index) => Line(index, cpu.Cpu, cpu.ThreadId, cpu.Status))], window());

    public override void Note(string text)
    {
        _lines.Leave();
        error.WriteWrapped($"picollo: {text}");
    }

    public override void End(JitterResult result)
    {
        Add(result.Cpus, result.Elapsed);
        output.WriteLine();
        TextTable table = new("lrrrrrr");
        table.Add([_unit, .. CpuResult.Ranks.Select(rank => Invariant($"p{rank}")), "max"]);
        foreach (CpuResult cpu in result.Cpus)
        {
            table.Add(Row(Invariant($"CPU {cpu.Cpu}"), cpu));
        }

        if (result.Cpus.Count > 1)
        {
            table.Add(Row("all CPUs", result.Total));
        }

        table.Write(output);
        if (result.Break is { } found)
        {
            output.WriteLine();
            output.WriteWrapped(BreakLine(found));
        }

        output.Flush();
    }

    /// <summary>Formats the line of a CPU. As in jitterdebugger, minimum and maximum are truncated to whole microseconds. The mean is
    /// computed from nanoseconds.</summary>
    /// <param name="index">The zero-based index of the thread.</param>
    public string Line(int index, int cpu, long threadId, CpuJitterStatus status) =>
        Invariant($"T:{index,2} ({threadId,5}) A:{cpu,2} C:{status.Count,10} Min:{status.MinNanoseconds / _divisor,10} ")
        + Invariant($"Avg:{status.MeanNanoseconds / _divisor,8:0.00} Max:{status.MaxNanoseconds / _divisor,10}");

    public string BreakLine(JitterBreak found)
    {
        string mark = found.IsMarked ? "is marked" : "is not marked";
        string stop = found.IsTracingStopped ? "is stopped" : "is not stopped";
        string[] reasons = [.. new[] { found.MarkUnavailableReason, found.StopUnavailableReason }.OfType<string>().Distinct()];
        string because = reasons.Length == 0 ? "" : $": {string.Join(' ', reasons)}";
        return Invariant($"stopped by a latency of {Fine((ulong)found.LatencyNanoseconds)} {_unit} on CPU {found.Cpu}; ")
            + $"the kernel's trace {mark} and {stop}{because}";
    }

    private string[] Row(string name, CpuResult cpu) =>
    [
        name,
        .. CpuResult.Ranks.Zip(cpu.GetPercentiles()).Select(percentile =>
            PercentileRank.IsBelowMaximum(percentile.First, (ulong)cpu.Status.Count) ? Fine(percentile.Second) : Quantity.MissingInText),
        Fine(cpu.Status.MaxNanoseconds),
    ];

    private string Fine(ulong nanoseconds) =>
        (nanoseconds / (double)_divisor).ToString(inNanoseconds ? "0" : "0.0", CultureInfo.InvariantCulture);
}

/// <summary>Writes lines that are updated: in place on a terminal, or as a new block elsewhere.</summary>
internal sealed class LinesInPlace(TextWriter output)
{
    private int _shown; // number of lines above the cursor to rewrite

    /// <param name="lines">The lines, the same number in each call.</param>
    /// <param name="window">The current size of the terminal; null to write a new block. A new block is also written if the terminal has
    /// too few rows, because lines that have scrolled out of view cannot be updated.</param>
    public void Show(IReadOnlyList<string> lines, (int Columns, int Rows)? window)
    {
        bool inPlace = window is { } size && lines.Count < size.Rows;
        if (inPlace && _shown > 0)
        {
            // Go to the start of the line first, because the terminal echoes ^C.
            output.Write(Invariant($"\r\e[{_shown}A"));
        }

        foreach (string line in lines)
        {
            // A wider line would take two rows.
            output.Write(inPlace && line.Length >= window!.Value.Columns ? line[..(window.Value.Columns - 1)] : line);
            output.Write(inPlace ? "\e[K\n" : "\n");
        }

        output.Write(inPlace ? "\e[J" : "");
        output.Flush();
        _shown = inPlace ? lines.Count : 0;
    }

    /// <summary>Keeps the current lines because other text follows. The next call to <see cref="Show"/> writes below them.</summary>
    public void Leave() => _shown = 0;
}
