using System.Globalization;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Cli.Jitter;

/// <summary>jitterdebugger's lines on standard output, rewritten in place on a terminal, and a table of percentiles at the end. Notes go to
/// standard error.</summary>
/// <param name="window">Returns the terminal's current size; null if lines are not to be rewritten.</param>
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

    /// <summary>A line about a CPU. Minimum and maximum are truncated to whole microseconds, like jitterdebugger's; the mean is of
    /// nanoseconds.</summary>
    /// <param name="index">The thread's index, from 0.</param>
    public string Line(int index, int cpu, long threadId, CpuJitterStatus status) =>
        Invariant($"T:{index,2} ({threadId,5}) A:{cpu,2} C:{status.Count,10} Min:{status.MinNanoseconds / _divisor,10} ")
        + Invariant($"Avg:{status.MeanNanoseconds / _divisor,8:0.00} Max:{status.MaxNanoseconds / _divisor,10}");

    public string BreakLine(JitterBreak found)
    {
        string mark = found.IsMarked ? "has a mark of it" : "has no mark of it";
        string stop = found.IsTracingStopped ? "is stopped" : "is not stopped";
        string[] reasons = [.. new[] { found.MarkUnavailableReason, found.StopUnavailableReason }.OfType<string>().Distinct()];
        string because = reasons.Length == 0 ? "" : $": {string.Join(' ', reasons)}";
        return Invariant($"stopped by a latency of {Fine((ulong)found.LatencyNanoseconds)} {_unit} on CPU {found.Cpu}; ")
            + $"the kernel's trace {mark} and {stop}{because}";
    }

    private string[] Row(string name, CpuResult cpu) =>
    [
        name,
        .. CpuResult.Ranks.Zip(cpu.GetPercentiles()).Select(one =>
            PercentileRank.IsBelowMaximum(one.First, (ulong)cpu.Status.Count) ? Fine(one.Second) : "-"),
        Fine(cpu.Status.MaxNanoseconds),
    ];

    private string Fine(ulong nanoseconds) =>
        (nanoseconds / (double)_divisor).ToString(inNanoseconds ? "0" : "0.0", CultureInfo.InvariantCulture);
}

/// <summary>Lines that are updated: on a terminal they are rewritten in place, elsewhere one block follows the other.</summary>
internal sealed class LinesInPlace(TextWriter output)
{
    private int _shown; // lines above the cursor that are ours

    /// <param name="lines">The same number each time.</param>
    /// <param name="window">The terminal's current size; null if lines are not to be rewritten. They are not either if the terminal has too
    /// few rows, as lines that were scrolled out cannot be rewritten.</param>
    public void Show(IReadOnlyList<string> lines, (int Columns, int Rows)? window)
    {
        bool inPlace = window is { } size && lines.Count < size.Rows;
        if (inPlace && _shown > 0)
        {
            // To the start of the line first: the terminal echoes ^C.
            output.Write(Invariant($"\r\e[{_shown}A"));
        }

        foreach (string line in lines)
        {
            // A line that is wider would take two rows.
            output.Write(inPlace && line.Length >= window!.Value.Columns ? line[..(window.Value.Columns - 1)] : line);
            output.Write(inPlace ? "\e[K\n" : "\n");
        }

        output.Write(inPlace ? "\e[J" : "");
        output.Flush();
        _shown = inPlace ? lines.Count : 0;
    }

    /// <summary>Leaves the lines where they are, because other text follows; the next lines come below.</summary>
    public void Leave() => _shown = 0;
}
