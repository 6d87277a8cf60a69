using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Clients with small tasks beside clients with big ones, one worker for all.</summary>
internal static class MixedLoad
{
    private const int ClientsOfEach = 10;
    private const double Millisecond = 1e6;
    private const double LimitMilliseconds50 = 2;
    private const double OverSlice99 = 5;

    /// <summary>In which a semaphore's queue goes round some six times.</summary>
    private static readonly TimeSpan Duration = TimeSpan.FromSeconds(12);

    public static void Print(TextWriter output, TaskSizes sizes)
    {
        CpuWorkerPoolOptions options = new() { WorkerCount = 1 };
        LatencyTable table = new(
            $"Small tasks (0.16 ms) beside big ones (200 ms), {ClientsOfEach} clients of each, one worker", "ms", Millisecond,
            "small tasks a second", "big tasks a second", "the big ones' share");
        using (CpuWorkerPool pool = new(options))
        {
            Add(table, Cap.Of(pool), sizes, LimitMilliseconds50, options.TimeSlice.TotalMilliseconds + OverSlice99);
        }

        using SemaphoreSlim semaphore = new(1);
        Add(table, Cap.Of(semaphore, 1), sizes);
        table.Print(output);
    }

    private static void Add(LatencyTable table, Cap cap, TaskSizes sizes, double? limit50 = null, double? limit99 = null)
    {
        ChecksumTask small = new("small", sizes.SmallBlocks);
        ChecksumTask big = new("big", sizes.BigBlocks);
        InterlockedHdrHistogram<uint> latencies = Cap.CreateHistogram();
        using CancellationTokenSource stop = new(Duration);
        long start = Stopwatch.GetTimestamp();
        Task.WaitAll(
            cap.RunClients(ClientsOfEach, big, Cap.CreateHistogram(), stop.Token),
            cap.RunClients(ClientsOfEach, small, latencies, stop.Token));
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        double bigWork = big.Done * sizes.BigBlocks;
        table.Add(
            cap.Name, latencies, limit50, limit99,
            LatencyTable.Text(small.Done / seconds), LatencyTable.Text(big.Done / seconds),
            $"{bigWork / (bigWork + (small.Done * sizes.SmallBlocks)) * 100:0.0} %");
    }
}
