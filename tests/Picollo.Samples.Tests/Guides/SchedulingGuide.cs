using Picollo.Metrics;
using Picollo.Scheduling;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/scheduling.md.</summary>
internal static class SchedulingGuide
{
    public static async Task<long> FirstAsync()
    {
        await using var pool = new CpuWorkerPool();

        long primes = await pool.RunAsync(CountPrimesAsync);
        Console.WriteLine(primes);                                    // 17984

        return primes;

        static async Task<long> CountPrimesAsync(CpuTaskContext cpu)
        {
            long found = 0;
            for (int candidate = 2; candidate < 200_000; candidate++)
            {
                found += IsPrime(candidate) ? 1 : 0;
                await cpu.CheckpointAsync();                          // about 1 ns, unless another task must run
            }

            return found;
        }

        static bool IsPrime(int candidate)
        {
            for (int divisor = 2; divisor * divisor <= candidate; divisor++)
            {
                if (candidate % divisor == 0)
                {
                    return false;
                }
            }

            return true;
        }
    }

    public static async Task<long> SharedAsync(Func<CpuTaskContext, Task<long>> countPrimesAsync)
    {
        Task<long> CountPrimesAsync(CpuTaskContext cpu) => countPrimesAsync(cpu);

        long primes = await CpuWorkerPool.Shared.RunAsync(CountPrimesAsync);

        return primes;
    }

    public static async Task<int> ParallelLoopAsync(CpuWorkerPool pool, byte[][] blocks)
    {
        int saved = 0;
        void Compress(byte[] block) => Array.Reverse(block);
        async Task SaveAsync(byte[] block, CancellationToken token)
        {
            await Task.Delay(1, token);
            Interlocked.Add(ref saved, block.Length);
        }

        await Parallel.ForEachAsync(blocks, new ParallelOptions { TaskScheduler = pool.TaskScheduler }, async (block, token) =>
        {
            Compress(block);
            await SaveAsync(block, token);                            // the worker is free in the meantime
        });

        return saved;
    }

    public static async Task<(long InPool, long InTest)> WithoutPoolAsync(CpuWorkerPool pool, Func<CpuTaskContext, Task<long>> countPrimesAsync)
    {
        Task<long> CountPrimesAsync(CpuTaskContext cpu) => countPrimesAsync(cpu);

        long inPool = await pool.RunAsync(CountPrimesAsync);
        long inTest = await CountPrimesAsync(CpuTaskContext.None);    // completes synchronously, on this thread

        return (inPool, inTest);
    }

    public static async Task StatisticsAsync(CpuWorkerPool pool, Func<CpuTaskContext, Task> countPrimesAsync)
    {
        Task CountPrimesAsync(CpuTaskContext cpu) => countPrimesAsync(cpu);

        await pool.RunAsync(CountPrimesAsync, new CpuTaskOptions { Name = "primes" });

        Console.WriteLine($"{pool.Statistics.QueueWaits.GetPercentileValue(99):N0} ns in the queue");
        foreach ((string task, ReadOnlyHdrHistogram overrun) in pool.Statistics.GetOverrunsByTask())
        {
            Console.WriteLine($"{task} was late at a checkpoint by up to {overrun.GetPercentileValue(100):N0} ns");
        }
    }
}
