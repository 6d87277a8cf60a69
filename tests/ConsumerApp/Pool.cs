using Picollo.Scheduling;

namespace ConsumerApp;

/// <summary>Uses a pool of CPU workers.</summary>
internal static class Pool
{
    /// <summary>Runs work in the pool, and returns facts that are the same on every machine.</summary>
    public static async Task<IEnumerable<(string Name, object? Value)>> Use()
    {
        await using var pool = new CpuWorkerPool(new CpuWorkerPoolOptions
        {
            WorkerCount = 2,
            TimeSlice = TimeSpan.FromMilliseconds(1),
        });

        int[] sums = await Task.WhenAll(Enumerable.Range(1, 20).Select(_ => pool.RunAsync(Sum)));
        int blocking = await pool.RunAsync(SumBlocking);
        int outside = await pool.RunAsync(cpu => cpu.RunOutsideAsync(_ => Task.FromResult(1)));
        int items = 0;
        await pool.ForEachAsync(Enumerable.Range(1, 1_000), (item, _) => { Interlocked.Add(ref items, item); });
        string? failure = null;
        try
        {
            await pool.RunAsync(static cpu => throw new InvalidOperationException("thrown on a worker"));
        }
        catch (InvalidOperationException e)
        {
            failure = e.Message;
        }

        await pool.DrainAsync();
        return
        [
            ("pool-sums", string.Join(' ', sums.Append(blocking).Distinct())),
            ("pool-outside", outside),
            ("pool-items", items),
            ("pool-failure", failure),
            ("pool-ended", $"{pool.Statistics.CompletedCount} of {pool.Statistics.SubmittedCount}, failed: {pool.Statistics.FailedCount}"),
        ];
    }

    // Takes a few milliseconds, so that the checkpoints divide it into several slices.
    private static async Task<int> Sum(CpuTaskContext cpu)
    {
        int sum = 0;
        for (int i = 0; i < 1_000_000; i++)
        {
            sum += i & 1;
            await cpu.CheckpointAsync();
        }

        return sum;
    }

    private static int SumBlocking(CpuTaskContext cpu)
    {
        int sum = 0;
        for (int i = 0; i < 1_000_000; i++)
        {
            sum += i & 1;
            cpu.Checkpoint();
        }

        return sum;
    }
}
