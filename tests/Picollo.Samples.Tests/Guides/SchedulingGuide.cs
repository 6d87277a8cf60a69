using Picollo.Metrics;
using Picollo.Scheduling;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/scheduling.md.</summary>
internal static class SchedulingGuide
{
    public static async Task<uint> FirstAsync(byte[][] blocks, CancellationToken cancellationToken)
    {
        await using var pool = new CpuWorkerPool();

        uint checksum = await pool.RunAsync(async cpu =>
        {
            uint sum = 0;
            foreach (byte[] block in blocks)
            {
                sum = Append(sum, block);
                await cpu.CheckpointAsync();                          // every 10 to 100 µs of work
            }

            return sum;
        }, cancellationToken);

        return checksum;
    }

    public static async Task<uint> SharedAsync(Func<CpuTaskContext, Task<uint>> computeAsync, CancellationToken cancellationToken)
    {
        Task<uint> ComputeAsync(CpuTaskContext cpu) => computeAsync(cpu);

        uint sum = await CpuWorkerPool.Shared.RunAsync(ComputeAsync, cancellationToken);

        return sum;
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

    public static async Task<(uint InPool, uint InTest)> WithoutPoolAsync(CpuWorkerPool pool, byte[][] blocks, CancellationToken cancellationToken)
    {
        async Task<uint> ComputeAsync(CpuTaskContext cpu)
        {
            uint sum = 0;
            foreach (byte[] block in blocks)
            {
                sum = Append(sum, block);
                await cpu.CheckpointAsync();
            }

            return sum;
        }

        uint inPool = await pool.RunAsync(ComputeAsync, cancellationToken);
        uint inTest = await ComputeAsync(CpuTaskContext.None);        // completes synchronously, on this thread

        return (inPool, inTest);
    }

    public static async Task StatisticsAsync(CpuWorkerPool pool, Func<CpuTaskContext, Task> computeAsync, CancellationToken cancellationToken)
    {
        Task ComputeAsync(CpuTaskContext cpu) => computeAsync(cpu);

        await pool.RunAsync(ComputeAsync, new CpuTaskOptions { Name = "checksum" }, cancellationToken);

        Console.WriteLine($"{pool.Statistics.QueueWait.GetPercentileValue(99):N0} ns in the queue");
        foreach ((string task, ReadOnlyHdrHistogram overrun) in pool.Statistics.GetOverrunByTask())
        {
            Console.WriteLine($"{task} was late at a checkpoint by up to {overrun.GetPercentileValue(100):N0} ns");
        }
    }

    private static uint Append(uint sum, byte[] block) => Samples.CpuWorker.Serving.Crc32.Append(sum, block);
}
