using Picollo.Metrics;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>Prints the targets, and whether this run met them.</summary>
public static class TargetTable
{
    private const double MaxMedianRatio = 1.15;
    private const double MaxTailRatio = 3;
    private const double MinThroughputRatio = 0.95;
    private const double MaxSmallMedian = 2;
    private const double SmallTailBeyondSlice = 5;

    /// <summary>Prints the table.</summary>
    /// <param name="output">The writer.</param>
    /// <param name="measured">The results with 10 connections.</param>
    /// <param name="slice">The pool's time slice, in milliseconds.</param>
    public static void Write(TextWriter output, StepResults measured, double slice)
    {
        double small = measured.Small.Latency?.P50 ?? double.NaN;
        double smallTail = measured.Small.Latency?.P99 ?? double.NaN;
        double throughput = Ratio(measured.BigRate, measured.SemaphoreBigRate);
        double ampleThroughput = Ratio(measured.BigRate, measured.AmpleSemaphoreBigRate);
        MarkdownTable table = new("llll", ["With 10 connections", "Here", "Target", "Result"]);
        AddMost("/delay1ms p50 with checksums in the pool / alone", measured.Scheduled.RatioTo(measured.Alone, one => one.P50), MaxMedianRatio, "×");
        AddMost("/delay1ms p99 with checksums in the pool / alone", measured.Scheduled.RatioTo(measured.Alone, one => one.P99), MaxTailRatio, "×");
        table.Add(
            "checksum throughput in the pool / with a SemaphoreSlim",
            $"{throughput:0.000} × ({measured.BigRate.Median():0.00} / {measured.SemaphoreBigRate.Median():0.00} big tasks per second)",
            $"at least {MinThroughputRatio:0.##} ×",
            Verdict(throughput >= MinThroughputRatio));
        Add("/delay1ms requests answered in these runs", Answered(measured.SemaphoreScheduled));
        Add(
            $"checksum throughput in the pool / with a SemaphoreSlim and {ServerProcess.AmpleThreads} threads",
            $"{ampleThroughput:0.000} × ({measured.BigRate.Median():0.00} / {measured.AmpleSemaphoreBigRate.Median():0.00})");
        Add("/delay1ms requests answered in these runs", Answered(measured.AmpleSemaphoreScheduled));
        AddMost("small tasks with big tasks, p50", small, MaxSmallMedian, "ms");
        AddMost("small tasks with big tasks, p99", smallTail, slice + SmallTailBeyondSlice, "ms");
        Add(
            "small tasks from RunAsync to its result, in the server, p50; p99",
            $"{measured.SmallInPool.Select(one => one.P50).Median():0.00} ms; {measured.SmallInPool.Select(one => one.P99).Median():0.00} ms");
        Add(
            "small tasks with a SemaphoreSlim, p50; p99",
            $"{measured.SemaphoreSmall.Latency?.P50:0.##} ms; {measured.SemaphoreSmall.Latency?.P99:0.##} ms");
        Add(
            "big tasks with small tasks / without small tasks",
            $"{Ratio(measured.BigRateWithSmall, measured.BigRate):0.00} × ({measured.BigRateWithSmall.Median():0.00} per second)");
        Add(
            "big tasks with small tasks / without, with a SemaphoreSlim",
            $"{Ratio(measured.SemaphoreBigRateWithSmall, measured.SemaphoreBigRate):0.00} × ({measured.SemaphoreBigRateWithSmall.Median():0.00} per second)");
        Add(
            "/delay1ms p50 with checksums in the thread pool / alone",
            measured is { Unscheduled.Latency: { } starved, Alone.Latency: { } alone } ? $"{starved.P50 / alone.P50:0} ×" : "no response");
        output.WriteLine(table.ToString("The targets in this run"));

        string Answered(Runs others) => $"{measured.Scheduled.RequestsPerSecond:N0} / {others.RequestsPerSecond:N0} per second";

        void Add(string name, string here) => table.Add(name, here, "", "");

        void AddMost(string name, double value, double limit, string unit) =>
            table.Add(name, $"{value:0.00} {unit}", $"at most {limit:0.##} {unit}", Verdict(value <= limit));
    }

    private static double Ratio(List<double> values, List<double> others) => values.Zip(others, (value, other) => value / other).Median();

    // NaN does not meet a target.
    private static string Verdict(bool isMet) => isMet ? "met" : "MISSED";
}
