using Picollo.Cpu;
using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Measures clients with small tasks and clients with big tasks that share one worker.</summary>
/// <remarks>Run it under <c>chrt -f 40</c>. Otherwise, the figures include waits for processors that other programs use.</remarks>
internal static class MixedLoad
{
    private const int ClientsOfEach = 10;
    private const double Millisecond = 1e6;
    private const double LimitMilliseconds50 = 2;
    private const double OverSlice99 = 5;
    private const int Runs = 10;
    private const double MinShareOfRuns = 0.9;

    /// <summary>The maximum share of the processors that the hypervisor can take. Runs above it are not counted.</summary>
    private const double MaxStolen = 0.01;

    /// <summary>The duration of a run with the pool. About 17,000 small tasks run in this time.</summary>
    private static readonly TimeSpan PoolDuration = TimeSpan.FromSeconds(4);

    /// <summary>The duration of a run with the semaphore. A task passes through its queue about six times.</summary>
    private static readonly TimeSpan SemaphoreDuration = TimeSpan.FromSeconds(12);

    public static void Print(TextWriter output, TaskSizes sizes)
    {
        CpuWorkerPoolOptions options = new() { WorkerCount = 1 };
        double limit99 = options.TimeSlice.TotalMilliseconds + OverSlice99;
        LatencyTable table = new(
            $"Small tasks (0.16 ms) with big tasks (200 ms), {ClientsOfEach} clients of each, one worker", "ms", Millisecond,
            "small tasks/s", "big tasks/s", "share of big tasks", "stolen");
        List<double> counted = [];
        using (CpuWorkerPool pool = new(options))
        {
            for (int i = 0; i < Runs; i++)
            {
                Run run = Measure(Cap.Of(pool), sizes, PoolDuration);
                bool counts = run.Stolen is not > MaxStolen;
                table.Add(run.Name, run.Latencies, counts ? LimitMilliseconds50 : null, counts ? limit99 : null, run.Cells);
                counted.AddRange(counts ? [run.Latencies.GetPercentileValue(99) / Millisecond] : []);
            }
        }

        using SemaphoreSlim semaphore = new(1);
        Run behind = Measure(Cap.Of(semaphore, 1), sizes, SemaphoreDuration);
        table.Add(behind.Name, behind.Latencies, null, null, behind.Cells);
        table.Print(output);
        PrintRuns(output, counted, limit99);
    }

    private static void PrintRuns(TextWriter output, List<double> counted, double limit99)
    {
        int within = counted.Count(p99 => p99 <= limit99);
        TextTable table = new("Runs whose p99 is within the target", "counted runs", "target", "verdict");
        table.Add(
            $"{within}", $"{counted.Count}", FormattableString.Invariant($">= {MinShareOfRuns:0 %}"),
            counted.Count == 0 ? "no counted runs" : within >= MinShareOfRuns * counted.Count ? "ok" : "MISSED");
        table.Print(output);
    }

    private static Run Measure(Cap cap, TaskSizes sizes, TimeSpan duration)
    {
        ChecksumTask small = new("small", sizes.SmallBlocks);
        ChecksumTask big = new("big", sizes.BigBlocks);
        InterlockedHdrHistogram<uint> latencies = Cap.CreateHistogram();
        using SystemCpu machine = new();
        using CancellationTokenSource stop = new(duration);
        long start = Stopwatch.GetTimestamp();
        Task.WaitAll(
            cap.RunClients(ClientsOfEach, big, Cap.CreateHistogram(), stop.Token),
            cap.RunClients(ClientsOfEach, small, latencies, stop.Token));
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        machine.Update();
        double bigWork = big.Done * sizes.BigBlocks;
        double bigShare = bigWork / (bigWork + (small.Done * sizes.SmallBlocks));
        double? stolen = machine.Total.Steal;
        return new Run(
            cap.Name, latencies, stolen,
            [LatencyTable.Text(small.Done / seconds), LatencyTable.Text(big.Done / seconds), Percent(bigShare), stolen is { } share ? Percent(share) : "unknown"]);
    }

    private static string Percent(double share) => FormattableString.Invariant($"{share * 100:0.0} %");

    /// <param name="Name">The name of the cap.</param>
    /// <param name="Latencies">The latencies of the small tasks, in nanoseconds.</param>
    /// <param name="Stolen">The share of the processors that the hypervisor took, or <see langword="null"/> if the system does not report it.</param>
    /// <param name="Cells">The cells of the other columns.</param>
    private sealed record Run(string Name, HdrHistogram Latencies, double? Stolen, string[] Cells);
}
