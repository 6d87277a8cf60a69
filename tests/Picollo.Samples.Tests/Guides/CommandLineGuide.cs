using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/command-line.md.</summary>
internal static class CommandLineGuide
{
    public static CommandRun Command()
    {
        File.WriteAllLines("numbers.txt", Enumerable.Range(0, 100_000).Select(number => $"{number}"));

        var meter = new CommandMeter();
        CommandRun run = meter.Run("gzip", "-kf", "numbers.txt");
        Console.WriteLine($"{run.Elapsed.TotalMilliseconds:N1} ms, {run.Usage}");

        return run;
    }

    public static CommandRun CommandInFolder()
    {
        var inFolder = new CommandMeter
        {
            InputPath = "numbers.txt",                                // opened for each run, so that all runs read the same input
            WorkingDirectory = Path.GetTempPath(),
            Environment = new Dictionary<string, string?> { ["LC_ALL"] = "C", ["TZ"] = null },   // null removes a variable
        };
        CommandRun sorted = inFolder.Run("sort", "-o", "sorted.txt");
        return sorted;
    }

    public static async Task<ulong> WakeUpLatencyAsync()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Duration = TimeSpan.FromSeconds(1) });
        await meter.Completion;
        foreach (CpuJitter cpu in meter.Cpus)
        {
            ReadOnlyHdrHistogram latencies = cpu.Histogram;
            Console.WriteLine($"CPU {cpu.Cpu}: p99 {latencies.GetPercentileValue(99)} ns, max {latencies.GetPercentileValue(100)} ns of {latencies.TotalCount}");
        }

        return meter.Cpus.Aggregate(0UL, (count, cpu) => count + cpu.Histogram.TotalCount);
    }
}
