using Picollo.Metrics;

namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>What was aimed at, and whether it was met in this run.</summary>
public static class TargetTable
{
    private const double MaxMedianRatio = 1.15;
    private const double MaxTailRatio = 3;
    private const double MinThroughputRatio = 0.95;
    private const double MaxSmallMedian = 2;
    private const double SmallTailBeyondSlice = 5;

    /// <param name="output">Where to.</param>
    /// <param name="measured">At concurrency 10.</param>
    /// <param name="slice">The pool's time slice, in milliseconds.</param>
    public static void Write(TextWriter output, StepResults measured, double slice)
    {
        double small = measured.Small.Latency?.P50 ?? double.NaN;
        double smallTail = measured.Small.Latency?.P99 ?? double.NaN;
        double throughput = Ratio(measured.BigRate, measured.SemaphoreBigRate);
        double ampleThroughput = Ratio(measured.BigRate, measured.AmpleSemaphoreBigRate);
        MarkdownTable table = new("llll", ["What, at 10 connections", "Here", "Target", "Verdict"]);
        AddMost("/delay1ms p50 beside scheduled checksums / alone", measured.Scheduled.RatioTo(measured.Alone, one => one.P50), MaxMedianRatio, "×");
        AddMost("/delay1ms p99 beside scheduled checksums / alone", measured.Scheduled.RatioTo(measured.Alone, one => one.P99), MaxTailRatio, "×");
        table.Add(
            "checksum throughput / with a SemaphoreSlim",
            $"{throughput:0.000} × ({measured.BigRate.Median():0.00} / {measured.SemaphoreBigRate.Median():0.00} big tasks a second)",
            $"at least {MinThroughputRatio:0.##} ×",
            Verdict(throughput >= MinThroughputRatio));
        Add("/delay1ms requests answered meanwhile", Answered(measured.SemaphoreScheduled));
        Add(
            $"checksum throughput / with a SemaphoreSlim and {ServerProcess.AmpleThreads} threads",
            $"{ampleThroughput:0.000} × ({measured.BigRate.Median():0.00} / {measured.AmpleSemaphoreBigRate.Median():0.00})");
        Add("/delay1ms requests answered meanwhile", Answered(measured.AmpleSemaphoreScheduled));
        AddMost("small tasks beside big ones, p50", small, MaxSmallMedian, "ms");
        AddMost("small tasks beside big ones, p99", smallTail, slice + SmallTailBeyondSlice, "ms");
        Add(
            "the same from RunAsync to its result, in the server, p50; p99",
            $"{measured.SmallInPool.Select(one => one.P50).Median():0.00} ms; {measured.SmallInPool.Select(one => one.P99).Median():0.00} ms");
        Add(
            "the same in a SemaphoreSlim's queue, p50; p99",
            $"{measured.SemaphoreSmall.Latency?.P50:0.##} ms; {measured.SemaphoreSmall.Latency?.P99:0.##} ms");
        Add(
            "big tasks beside small ones / without small ones",
            $"{Ratio(measured.BigRateBesideSmall, measured.BigRate):0.00} × ({measured.BigRateBesideSmall.Median():0.00} a second)");
        Add(
            "the same in a SemaphoreSlim's queue",
            $"{Ratio(measured.SemaphoreBigRateBesideSmall, measured.SemaphoreBigRate):0.00} × ({measured.SemaphoreBigRateBesideSmall.Median():0.00} a second)");
        Add(
            "/delay1ms p50 beside checksums without the pool / alone",
            measured is { Unscheduled.Latency: { } starved, Alone.Latency: { } alone } ? $"{starved.P50 / alone.P50:0} ×" : "nothing answered");
        output.WriteLine(table.ToString("The targets, in this run"));

        string Answered(Runs others) => $"{measured.Scheduled.RequestsPerSecond:N0} / {others.RequestsPerSecond:N0} a second";

        void Add(string what, string here) => table.Add(what, here, "", "");

        void AddMost(string what, double value, double most, string unit) =>
            table.Add(what, $"{value:0.00} {unit}", $"at most {most:0.##} {unit}", Verdict(value <= most));
    }

    private static double Ratio(List<double> values, List<double> others) => values.Zip(others, (value, other) => value / other).Median();

    // What is not a number is no success.
    private static string Verdict(bool isMet) => isMet ? "met" : "MISSED";
}
