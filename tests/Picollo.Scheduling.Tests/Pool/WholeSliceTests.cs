using System.Diagnostics;

namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Tests the slice of an overtaken task, which is a full slice and cannot be interrupted.</summary>
public class WholeSliceTests
{
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(50);

    private static CpuTask Own => (CpuTask)SynchronizationContext.Current!;

    private static WorkerSlot OwnWorker => WorkerThread.Current!.Slot!;

    private static long OwnEnd => OwnWorker.SliceStart + Own.SliceLeft;

    [Fact]
    public Task An_overtaken_task_gets_a_full_slice_regardless_of_its_remaining_time() => InWholeSlice((_, _) =>
    {
        Own.SliceLeft.Should().Be((long)(Slice.TotalSeconds * Stopwatch.Frequency), "it has used a part of its first slice, but gets all of this one");
        return Task.FromResult(true);
    });

    [Fact]
    public Task An_arriving_task_does_not_interrupt_a_whole_slice() => InWholeSlice((pool, cpu) =>
    {
        _ = pool.RunAsync(_ => { });
        bool isAsked = Own.NeedsAttention;
        bool lasts = Stopwatch.GetTimestamp() < OwnEnd; // otherwise, the timer may have asked it to yield
        (isAsked && lasts).Should().BeFalse();
        return Task.FromResult(lasts);
    });

    [Fact]
    public Task A_whole_slice_is_not_yielded_to_waiting_tasks() => InWholeSlice(async (_, cpu) =>
    {
        (int slices, long end) = (cpu.SliceCount, OwnEnd);
        Own.NeedsAttention = true;

        await cpu.CheckpointAsync();

        bool continues = cpu.SliceCount == slices;
        (continues || Own.WaitingSince >= end).Should().BeTrue("the worker is yielded when the slice ends");
        return continues;
    });

    [Fact]
    public async Task The_slice_that_follows_a_whole_slice_is_not_whole()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);

        await pool.RunAsync(async cpu =>
        {
            WorkerThread.Current!.Slot!.IsWhole = true;
            for (int slices = cpu.SliceCount; cpu.SliceCount == slices;)
            {
                await cpu.CheckpointAsync();
            }

            WorkerThread.Current!.Slot!.IsWhole.Should().BeFalse();
        }).Soon();
    }

    /// <summary>Interrupts a task with an endless stream of other tasks, and checks it in the whole slices that it gets nevertheless.</summary>
    /// <param name="look">A check that returns whether the slice was long enough. Otherwise, it is repeated in the next slice.</param>
    private static async Task InWholeSlice(Func<CpuWorkerPool, CpuTaskContext, Task<bool>> look)
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Slice);
        bool hasSeen = false;

        await pool.RunAsync(
            async cpu =>
            {
                Pools.Spin(TimeSpan.FromMilliseconds(5));
                Stream();
                while (!hasSeen)
                {
                    await cpu.CheckpointAsync();
                    hasSeen = OwnWorker.IsWhole && await look(pool, cpu);
                }
            },
            new CpuTaskOptions { Priority = CpuTaskPriority.Low }).Soon();

        // The next task waits before the previous one ends.
        void Stream() => _ = pool.RunAsync(_ =>
        {
            if (!Volatile.Read(ref hasSeen))
            {
                Stream();
            }
        });
    }
}
