using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>Makes the table's columns: counters as they were named, then the CPU's time, then the percentiles.</summary>
internal static class MeasureMetrics
{
    public const string InstructionsPerCycle = "IPC";

    // Columns stand in this order; those of BenchmarkDotNet's own diagnosers have the first few numbers.
    private const int CounterPriority = 100;
    private const int CpuPriority = 1_000;
    private const int PercentilePriority = 2_000;

    /// <summary>The percentiles of single invocations, which have columns of their own.</summary>
    public static IReadOnlyList<(MeasureMetric Metric, double Rank)> Percentiles { get; } =
    [
        .. new[] { ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9), ("max", 100) }.Select(OfPercentile),
    ];

    /// <summary>What the CPU's usage is named per operation; no counter can be named so beside it.</summary>
    public static IReadOnlyList<string> NamesOfCpu { get; } = ["User", "Kernel", "VoluntarySwitches", "InvoluntarySwitches"];

    public static IEnumerable<Metric> Of(MeasureRequest request, MeasureResult measured) =>
    [
        .. OfCounters(request, measured.Counters),
        .. measured.Cpu is { } cpu ? OfCpu(cpu) : [],
        .. measured.Invocations is { } invocations ? OfPercentiles(invocations) : [],
    ];

    private static IEnumerable<Metric> OfCounters(MeasureRequest request, IReadOnlyList<CountedEvents> counters)
    {
        foreach ((int index, BenchmarkCounter asked) in request.Counters.Index())
        {
            if (Find(asked.Name) is { } counter) // else it was not counted here
            {
                string what = $"{asked.SessionName} per operation{(request.IncludeKernel ? ", the kernel's part included" : "")}";
                yield return new MeasureMetric($"{counter.Name}/Op", what, CounterPriority + index, asked.IsTime)
                    .Of(counter.PerOperation, counter.IsScaled);
            }
        }

        if (Find("Instructions") is { } instructions && Find("CpuCycles") is { PerOperation: > 0 } cycles)
        {
            yield return new MeasureMetric(
                InstructionsPerCycle, "Instructions per CPU cycle", CounterPriority + request.Counters.Count, isRatio: true)
                .Of(instructions.PerOperation / cycles.PerOperation, instructions.IsScaled || cycles.IsScaled);
        }

        CountedEvents? Find(string name) => counters.FirstOrDefault(counter => counter.Name == name);
    }

    private static IEnumerable<Metric> OfCpu(CpuPerOperation cpu)
    {
        yield return new MeasureMetric(
            "User/Op", "CPU time in user code per operation, all threads of the process", CpuPriority, isTime: true)
            .Of(cpu.UserNanoseconds);
        yield return new MeasureMetric(
            "Kernel/Op", "CPU time in the kernel per operation, all threads of the process", CpuPriority + 1, isTime: true)
            .Of(cpu.KernelNanoseconds);
        // ?: it took no more than nothing
        yield return new MeasureMetric(
            "CPU/Wall", "CPU time over elapsed time: above 1 is parallel, below 1 waits", CpuPriority + 2, isRatio: true)
            .Of(cpu.WallNanoseconds > 0 ? (cpu.UserNanoseconds + cpu.KernelNanoseconds) / cpu.WallNanoseconds : double.NaN);
        if (cpu.VoluntarySwitches is { } voluntary && cpu.InvoluntarySwitches is { } involuntary)
        {
            yield return new MeasureMetric("VoluntarySwitches/Op", "Times a thread waited, per operation", CpuPriority + 3).Of(voluntary);
            yield return new MeasureMetric(
                "InvoluntarySwitches/Op", "Times a thread lost the CPU to another or yielded it, per operation", CpuPriority + 4)
                .Of(involuntary);
        }
    }

    private static IEnumerable<Metric> OfPercentiles(InvocationTimes invocations)
    {
        HdrHistogram histogram = HdrHistogramEncoding.Decode(invocations.Nanoseconds);
        foreach ((MeasureMetric metric, double rank) in Percentiles)
        {
            // If no invocation lies above, it is the maximum by another name.
            Percentile percentile = histogram.GetPercentile(rank);
            if (rank == 100 || percentile.TargetCount < histogram.TotalCount)
            {
                yield return metric.Of((double)percentile.Value / invocations.OperationsPerInvoke);
            }
        }
    }

    private static (MeasureMetric Metric, double Rank) OfPercentile((string Name, double Rank) one, int index)
    {
        string legend = one.Rank == 100
            ? "The slowest single invocation"
            : $"{one.Name[1..]} % of the single invocations took at most this; - if none took longer";
        return (new(one.Name, legend, PercentilePriority + index, isTime: true, hasOwnColumn: true), one.Rank);
    }
}
