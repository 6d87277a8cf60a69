namespace Picollo.Scheduling.Tests;

/// <summary>Heap allocations of checkpoints and tasks.</summary>
[Collection(Alone.Name)]
public class AllocationTests
{
    private static readonly Action<CpuTaskContext> Nothing = _ => { };

    [Fact]
    public async Task A_checkpoint_that_continues_allocates_nothing()
    {
        await using CpuWorkerPool pool = Pools.Create();

        (long awaited, long blocking) = await pool.RunAsync(async cpu =>
        {
            long awaited = long.MaxValue;
            for (int round = 0; round < 10; round++)
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                for (int i = 0; i < 100; i++)
                {
                    await cpu.CheckpointAsync();
                }

                awaited = Math.Min(awaited, GC.GetAllocatedBytesForCurrentThread() - before);
            }

            return (awaited, Allocations.InSteadyState(cpu.Checkpoint));
        }).Soon();

        awaited.Should().Be(0);
        blocking.Should().Be(0);
    }

    [Fact]
    public async Task A_checkpoint_that_starts_another_slice_or_yields_allocates_nothing()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);

        // Measure first without and then with another task. The minimum of several rounds counts, because code is recompiled meanwhile.
        long alone = await pool.RunAsync(AFewSlices).Soon();
        bool isDone = false;
        Task other = pool.RunAsync(async cpu =>
        {
            while (!Volatile.Read(ref isDone))
            {
                await cpu.CheckpointAsync();
            }
        });
        long inTurn = await pool.RunAsync(AFewSlices).Soon();
        Volatile.Write(ref isDone, true);
        await other.Soon();

        alone.Should().Be(0);
        inTurn.Should().Be(0);

        static async Task<long> AFewSlices(CpuTaskContext cpu)
        {
            long least = long.MaxValue;
            for (int round = 0; round < 10; round++)
            {
                int from = cpu.SliceCount;
                long before = GC.GetAllocatedBytesForCurrentThread();
                for (int i = 0; i < 100; i++)
                {
                    Pools.Spin(TimeSpan.FromMicroseconds(50));
                    await cpu.CheckpointAsync();
                }

                long bytes = GC.GetAllocatedBytesForCurrentThread() - before;
                if (cpu.SliceCount > from)
                {
                    least = Math.Min(least, bytes);
                }
            }

            return least;
        }
    }

    [Fact]
    public async Task Submitting_an_empty_task_allocates_three_objects()
    {
        // The objects are the task, its completion source, and the task of the completion source. The test measures bytes, not objects.
        const int atMostBytes = 336;
        const int calls = 100;
        await using CpuWorkerPool pool = Pools.Create();
        long submitting;
        var options = new CpuTaskOptions { Name = "empty" };
        using (Held.Worker(pool))
        {
            submitting = Allocations.InSteadyState(() => { _ = pool.RunAsync(Nothing, options); }) / calls;
        }

        submitting.Should().BeInRange(1, atMostBytes);
    }

    [Fact]
    public async Task Running_an_empty_task_allocates_only_its_execution_context_in_addition()
    {
        // In addition to the above: the execution context, and its map that contains the task.
        const int atMostBytes = 336 + 72;
        const int calls = 1000;
        await using CpuWorkerPool pool = Pools.Create();
        long least = long.MaxValue;
        var options = new CpuTaskOptions { Name = "empty" };
        for (int round = 0; round < 10; round++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            for (int i = 0; i < calls; i++)
            {
                await pool.RunAsync(Nothing, options);
            }

            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        // The sum of all threads, which includes occasional allocations of the thread pool itself.
        (least / calls).Should().BeInRange(1, atMostBytes + 16);
    }
}
