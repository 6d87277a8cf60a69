using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>Creates the columns of the table: counters in the specified order, then CPU time, then percentiles.</summary>
internal static class MeasureMetrics
{
    public const string InstructionsPerCycle = "IPC";

    // Columns are sorted by these numbers. The diagnosers of BenchmarkDotNet use the first few numbers.
    private const int CounterPriority = 100;
    public const int CpuPriority = 1_000;
    private const int PercentilePriority = 2_000;
    private const int PlacesPerPercent = 1_000; // percentiles are sorted by rank
    private const int LastPriority = 200;

    private const string CallMax = "Call max";
    private const string CallMean = "Call mean";

    public const string CpuTime = "CPU/Op";

    public const string Calls = "Calls";

    public static IEnumerable<Metric> Create(MeasureRequest request, MeasureResult measured) =>
    [
        .. CreateForCounters(request, measured.Counters),
        .. measured.Cpu is { } cpu ? CreateForCpu(cpu, request.ByMode) : [],
        .. measured.Invocations is { } invocations ? CreateForCalls(request.Ranks, invocations) : [],
    ];

    private static IEnumerable<Metric> CreateForCounters(MeasureRequest request, IReadOnlyList<CountedEvents> counters)
    {
        foreach ((int index, BenchmarkCounter requested) in request.Counters.Index())
        {
            if (Find(requested.Name) is { } counter) // otherwise, the counter is unavailable
            {
                string threads = request.AllThreads ? "all threads of the process" : "benchmark thread only";
                string what = $"{requested.Name} per operation, {threads}{(request.IncludeKernel ? ", including kernel code" : "")}";
                bool isShownIfZero = requested.Software is null || requested.IsTime;
                yield return new MeasureMetric(
                    $"{counter.Name}/Op", what, CounterPriority + index, requested.IsTime, isShownIfZero: isShownIfZero)
                    .ToMetric(counter.PerOperation, counter.IsScaled);
            }
        }

        if (Find("Instructions") is { } instructions && Find("CpuCycles") is { PerOperation: > 0 } cycles)
        {
            yield return new MeasureMetric(
                InstructionsPerCycle, "Instructions per CPU cycle", CounterPriority + request.Counters.Count, isRatio: true)
                .ToMetric(instructions.PerOperation / cycles.PerOperation, instructions.IsScaled || cycles.IsScaled);
        }

        CountedEvents? Find(string name) => counters.FirstOrDefault(counter => counter.Name == name);
    }

    private static IEnumerable<Metric> CreateForCpu(CpuPerOperation cpu, bool isByMode)
    {
        double total = cpu.UserNanoseconds + cpu.KernelNanoseconds;
        yield return new MeasureMetric(CpuTime, "CPU time per operation, all threads of the process", CpuPriority, isTime: true)
            .ToMetric(total);
        if (isByMode)
        {
            yield return new MeasureMetric(
                "User/Op", "CPU time in user code per operation, all threads of the process", CpuPriority + 2, isTime: true)
                .ToMetric(cpu.UserNanoseconds);
            yield return new MeasureMetric(
                "Kernel/Op", "CPU time in the kernel per operation, all threads of the process", CpuPriority + 3, isTime: true)
                .ToMetric(cpu.KernelNanoseconds);
        }

        if (cpu.WallNanoseconds is { } wall)
        {
            yield return new MeasureMetric(
                "CPU/Wall",
                "CPU time divided by elapsed time: above 1 means parallel work, below 1 means waiting; NA: the operation is too short",
                CpuPriority + 4,
                isRatio: true)
                .ToMetric(total / wall);
        }

        if (cpu.VoluntarySwitches is { } voluntary && cpu.InvoluntarySwitches is { } involuntary)
        {
            yield return new MeasureMetric(
                "VoluntarySwitches/Op", "Number of times a thread waited, per operation", CpuPriority + 5, isShownIfZero: false)
                .ToMetric(voluntary);
            yield return new MeasureMetric(
                "InvoluntarySwitches/Op",
                "Number of times a thread was preempted or yielded the CPU, per operation",
                CpuPriority + 6,
                isShownIfZero: false)
                .ToMetric(involuntary);
        }
    }

    /// <summary>Returns the metrics of single calls, in the order of their columns, which are custom; none without ranks.</summary>
    public static IEnumerable<MeasureMetric> DescribeCalls(IReadOnlyList<double> ranks)
    {
        if (ranks.Count == 0)
        {
            yield break;
        }

        yield return new(Calls, "Number of timed single calls", PercentilePriority, hasOwnColumn: true);
        yield return DescribeTime(CallMean, "Mean time of the single calls, per operation", 1);
        foreach (double rank in ranks)
        {
            string percent = rank.ToString(CultureInfo.InvariantCulture);
            yield return DescribeTime(
                NameOf(rank), $"{percent} % of the single calls took at most this time, per operation; - if none took longer", 2 + rank);
        }

        yield return DescribeTime(CallMax, "Time of the slowest single call, per operation", LastPriority);

        static MeasureMetric DescribeTime(string name, string legend, double order) =>
            new(name, legend, PercentilePriority + (int)(order * PlacesPerPercent), isTime: true, hasOwnColumn: true);
    }

    private static string NameOf(double rank) => string.Create(CultureInfo.InvariantCulture, $"Call p{rank}");

    private static IEnumerable<Metric> CreateForCalls(IReadOnlyList<double> ranks, InvocationTimes invocations)
    {
        HdrHistogram histogram = HdrHistogramEncoding.Decode(invocations.Nanoseconds);
        HdrHistogramSummary summary = histogram.GetSummary();
        Dictionary<string, double> values = new(StringComparer.Ordinal)
        {
            [Calls] = summary.TotalCount,
            [CallMean] = summary.Mean / invocations.OperationsPerInvoke,
            [CallMax] = (double)summary.P100.Value / invocations.OperationsPerInvoke,
        };
        foreach (double rank in ranks)
        {
            // A percentile with no call above it would only repeat the maximum.
            Percentile percentile = histogram.GetPercentile(rank);
            if (percentile.TargetCount < histogram.TotalCount)
            {
                values[NameOf(rank)] = (double)percentile.Value / invocations.OperationsPerInvoke;
            }
        }

        return DescribeCalls(ranks).Where(metric => values.ContainsKey(metric.Id)).Select(metric => metric.ToMetric(values[metric.Id]));
    }
}
