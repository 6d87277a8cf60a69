using Picollo.Samples.CpuWorker.Serving;
using Picollo.Scheduling;

namespace Picollo.Benchmarks.Scheduling;

/// <summary>Measures big tasks alone, to show the cost of slices and checkpoints. The pool and the semaphore run alternately.</summary>
internal static class Throughput
{
    private const int Clients = 10;
    private const int Turns = 9;
    private const double MinShare = 0.95;
    private static readonly TimeSpan Turn = TimeSpan.FromSeconds(1);

    public static void Print(TextWriter output, TaskSizes sizes)
    {
        using CpuWorkerPool pool = new();
        using SemaphoreSlim semaphore = new(pool.WorkerCount);
        Cap[] caps = [Cap.Of(pool), Cap.Of(semaphore, pool.WorkerCount)];
        List<double>[] blocks = [[], []];
        for (int turn = 0; turn < Turns; turn++)
        {
            for (int i = 0; i < caps.Length; i++)
            {
                blocks[i].Add(BlocksPerSecond(caps[i], sizes));
            }
        }

        double[] medians = [.. blocks.Select(Median)];
        double share = medians[0] / medians[1];
        TextTable table = new($"Checksums, {Clients} clients with big tasks", "MB/s, median", "compared with", "by median", "target", "verdict");
        table.Add(
            $"{caps[0].Name}, workers: {pool.WorkerCount}", Megabytes(medians[0]), caps[1].Name, FormattableString.Invariant($"{share:0.000} x"),
            FormattableString.Invariant($">= {MinShare} x"),
            share >= MinShare ? "ok" : FormattableString.Invariant($"MISSED by {MinShare - share:0.000} x"));
        table.Add(caps[1].Name, Megabytes(medians[1]));
        table.Print(output);
    }

    private static double BlocksPerSecond(Cap cap, TaskSizes sizes)
    {
        ChecksumTask big = new("big", sizes.BigBlocks);
        using CancellationTokenSource stop = new(Turn);
        long start = Stopwatch.GetTimestamp();
        cap.RunClients(Clients, big, Cap.CreateHistogram(), stop.Token).GetAwaiter().GetResult();
        return big.Done * sizes.BigBlocks / Stopwatch.GetElapsedTime(start).TotalSeconds;
    }

    private static double Median(List<double> figures) => figures.Order().ElementAt(figures.Count / 2);

    private static string Megabytes(double blocks) => LatencyTable.Text(blocks * ChecksumTask.BlockBytes / 1e6);
}
