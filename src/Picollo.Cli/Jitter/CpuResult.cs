using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Cli.Jitter;

/// <summary>The measurements of one CPU, in nanoseconds.</summary>
/// <param name="Status">The count and the exact minimum, mean and maximum.</param>
internal sealed record CpuResult(int Cpu, long ThreadId, CpuJitterStatus Status, ReadOnlyHdrHistogram Histogram)
{
    /// <summary>The percentile ranks that are shown before the exact maximum.</summary>
    public static IReadOnlyList<double> Ranks { get; } = [50, 90, 99, 99.9, 99.99];

    public static CpuResult[] Read(JitterMeter meter) =>
        [.. meter.Cpus.Select(cpu => new CpuResult(cpu.Cpu, cpu.ThreadId, cpu.GetStatus(), cpu.Histogram))];

    /// <summary>Returns the values at <see cref="Ranks"/>: bucket values, limited to the exact minimum and maximum. They are 0 if nothing
    /// was measured.</summary>
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
        return new(Cpu: -1, ThreadId: 0, status, merger.ToHistogram() ?? (ReadOnlyHdrHistogram)HdrHistogram.Create());
    }
}

internal sealed class JitterResult
{
    public required JitterOptions Options { get; init; }

    public required DateTimeOffset StartTime { get; init; }

    public required TimeSpan Elapsed { get; init; }

    /// <summary>The measurements of each CPU, in ascending order of the CPU number.</summary>
    public required IReadOnlyList<CpuResult> Cpus { get; init; }

    public required JitterBreak? Break { get; init; }

    /// <summary>The real-time priority that was obtained; null for none.</summary>
    public required int? Priority { get; init; }

    /// <summary>The deviations from the requested options, and their reasons.</summary>
    public required IReadOnlyList<string> UnavailableReasons { get; init; }

    public required bool IsInterrupted { get; init; }

    public CpuResult Total => field ??= CpuResult.Total(Cpus);
}
