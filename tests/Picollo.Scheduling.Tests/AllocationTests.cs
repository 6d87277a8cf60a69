namespace Picollo.Scheduling.Tests;

/// <summary>Heap allocations of checkpoints and tasks.</summary>
[Collection(Alone.Name)]
public class AllocationTests : OnePool
{
    private static readonly Action<CpuTaskContext> Nothing = _ => { };
    private static readonly CpuTaskOptions Options = new() { Name = "empty" };

    [Fact]
    public async Task A_checkpoint_allocates_nothing_whether_it_continues_starts_another_slice_or_yields()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);

        // Measure first without and then with another task. The minimum of several rounds counts, because code is recompiled meanwhile.
        long alone = await pool.RunAsync(AFewSlices).Soon();
        Busy other = Busy.Start(pool);
        long inTurn = await pool.RunAsync(AFewSlices).Soon();
        other.Stop();
        await other.Task.Soon();
        long blocking = await pool.RunAsync(cpu => Allocations.InSteadyState(cpu.Checkpoint)).Soon();

        (alone, inTurn, blocking).Should().Be((0, 0, 0));

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
                least = cpu.SliceCount > from ? Math.Min(least, bytes) : least;
            }

            return least;
        }
    }

    [Fact]
    public void Submitting_an_empty_task_allocates_three_objects()
    {
        // The objects are the task, its completion source, and the task of the completion source. The test measures bytes, not objects.
        const int atMostBytes = 336;
        const int calls = 100;
        using Held held = Held.Worker(Pool);

        (Allocations.InSteadyState(() => { _ = Pool.RunAsync(Nothing, Options); }) / calls).Should().BeInRange(1, atMostBytes);
    }

    [Fact]
    public async Task Running_an_empty_task_allocates_only_its_execution_context_in_addition()
    {
        // In addition to the above: the execution context, and its map that contains the task.
        const int atMostBytes = 336 + 72;
        const int calls = 1000;
        long least = long.MaxValue;
        for (int round = 0; round < 10; round++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            for (int i = 0; i < calls; i++)
            {
                await Pool.RunAsync(Nothing, Options);
            }

            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        // The sum of all threads, which includes occasional allocations of the thread pool itself.
        (least / calls).Should().BeInRange(1, atMostBytes + 16);
    }
}
