using System.Globalization;
using Picollo.Cli.Shell;
using Picollo.Diagnostics;

namespace Picollo.Cli.Jitter;

/// <summary>Lines as jitterdebugger has them, and a table of percentiles.</summary>
/// <param name="inNanoseconds">Instead of microseconds.</param>
internal sealed class JitterText(bool inNanoseconds)
{
    private const ulong NanosecondsPerMicrosecond = 1000;

    public string Unit => inNanoseconds ? "ns" : "us";

    public static string Header(IReadOnlyList<int> cpus) => $"affinity: {CpuList.Describe(cpus)}";

    /// <summary>Minimum and maximum in whole microseconds are cut, as jitterdebugger's are; the mean is of the nanoseconds.</summary>
    /// <param name="index">The thread's, from 0.</param>
    /// <param name="cpu">The CPU.</param>
    /// <param name="threadId">The system's id.</param>
    /// <param name="status">What is measured by now.</param>
    public string Line(int index, int cpu, int threadId, CpuJitterStatus status) => string.Create(
        CultureInfo.InvariantCulture,
        $"T:{index,2} ({threadId,5}) A:{cpu,2} C:{status.Count,10} Min:{Whole(status.MinNanoseconds),10} "
        + $"Avg:{status.MeanNanoseconds / Divisor,8:0.00} Max:{Whole(status.MaxNanoseconds),10}");

    public void WritePercentiles(TextWriter output, JitterResult result)
    {
        TextTable table = new("lrrrrrr");
        table.Add([Unit, .. CpuResult.Ranks.Select(rank => $"p{rank.ToString(CultureInfo.InvariantCulture)}"), "max"]);
        foreach (CpuResult cpu in result.Cpus)
        {
            table.Add(Row(string.Create(CultureInfo.InvariantCulture, $"CPU {cpu.Cpu}"), cpu));
        }

        if (result.Cpus.Count > 1)
        {
            table.Add(Row("all CPUs", result.Total));
        }

        table.Write(output);
    }

    public string BreakLine(JitterBreak found)
    {
        string mark = found.IsMarked
            ? "a mark of it stands in the kernel's trace"
            : $"no mark in the kernel's trace: {found.MarkUnavailableReason}";
        return string.Create(
            CultureInfo.InvariantCulture,
            $"stopped by a latency of {Fine(found.LatencyNanoseconds)} {Unit} on CPU {found.Cpu}; {mark}");
    }

    private double Divisor => inNanoseconds ? 1 : NanosecondsPerMicrosecond;

    private string[] Row(string name, CpuResult cpu) => [name, .. cpu.GetPercentiles().Append(cpu.Status.MaxNanoseconds).Select(Fine)];

    private ulong Whole(ulong nanoseconds) => inNanoseconds ? nanoseconds : nanoseconds / NanosecondsPerMicrosecond;

    private string Fine(ulong nanoseconds) => inNanoseconds
        ? nanoseconds.ToString(CultureInfo.InvariantCulture)
        : (nanoseconds / (double)NanosecondsPerMicrosecond).ToString("0.0", CultureInfo.InvariantCulture);
}
