using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Cli.Jitter;

/// <summary>What was measured on a CPU, in nanoseconds.</summary>
/// <param name="Cpu">Its number.</param>
/// <param name="ThreadId">The measuring thread.</param>
/// <param name="Status">Exact.</param>
/// <param name="Histogram">All latencies.</param>
internal sealed record CpuResult(int Cpu, int ThreadId, CpuJitterStatus Status, ReadOnlyHdrHistogram Histogram)
{
    /// <summary>The ranks that are shown; the maximum follows, which is exact.</summary>
    public static IReadOnlyList<double> Ranks { get; } = [50, 90, 99, 99.9, 99.99];

    /// <summary>What is measured by now.</summary>
    public static CpuResult[] Read(JitterMeter meter) =>
        [.. meter.Cpus.Select(cpu => new CpuResult(cpu.Cpu, cpu.ThreadId, cpu.GetStatus(), cpu.Histogram))];

    /// <summary>The values at <see cref="Ranks"/>, of buckets, but none beyond the exact extremes; zeros where nothing was
    /// measured.</summary>
    public ulong[] GetPercentiles()
    {
        ulong[] values = new ulong[Ranks.Count];
        if (Status.Count > 0)
        {
            Histogram.GetPercentileValues([.. Ranks], values);
            for (int i = 0; i < values.Length; i++)
            {
                values[i] = Math.Clamp(values[i], Status.MinNanoseconds, Math.Max(Status.MinNanoseconds, Status.MaxNanoseconds));
            }
        }

        return values;
    }

    /// <summary>All of them as one.</summary>
    public static CpuResult Total(IReadOnlyList<CpuResult> cpus)
    {
        HdrHistogramMerger merger = new();
        foreach (CpuResult cpu in cpus)
        {
            merger.Add(cpu.Histogram);
        }

        CpuResult[] measured = [.. cpus.Where(cpu => cpu.Status.Count > 0)];
        long count = measured.Sum(cpu => cpu.Status.Count);
        CpuJitterStatus status = new(
            count,
            cpus.Sum(cpu => cpu.Status.Lost),
            measured.Select(cpu => cpu.Status.MinNanoseconds).DefaultIfEmpty().Min(),
            count == 0 ? 0 : measured.Sum(cpu => cpu.Status.MeanNanoseconds * cpu.Status.Count) / count,
            measured.Select(cpu => cpu.Status.MaxNanoseconds).DefaultIfEmpty().Max(),
            LastNanoseconds: 0);
        return new(Cpu: -1, ThreadId: 0, status, merger.Histogram ?? (ReadOnlyHdrHistogram)HdrHistogram.Create());
    }
}
