using System.Diagnostics;

namespace Picollo.Scheduling.Tests.Pool;

/// <summary>The slice of a task that others have passed over: a full one, and nobody's to interrupt.</summary>
public class WholeSliceTests
{
    private static readonly TimeSpan Slice = TimeSpan.FromMilliseconds(50);

    private static CpuTask Own => (CpuTask)SynchronizationContext.Current!;

    private static WorkerSlot OwnWorker => WorkerThread.Current!.Slot!;

    private static long OwnEnd => OwnWorker.SliceStart + Own.SliceLeft;

    [Fact]
    public Task What_was_passed_over_gets_a_full_slice_whatever_it_had_left() => InWholeSlice((_, _) =>
    {
        Own.SliceLeft.Should().Be((long)(Slice.TotalSeconds * Stopwatch.Frequency), "it had used some of its first one, and is to have all of this");
        return Task.FromResult(true);
    });

    [Fact]
    public Task A_task_that_comes_does_not_ask_for_it() => InWholeSlice((pool, cpu) =>
    {
        _ = pool.RunAsync(_ => { });
        bool isAsked = Own.NeedsAttention;
        bool lasts = Stopwatch.GetTimestamp() < OwnEnd; // otherwise the timer may have asked
        (isAsked && lasts).Should().BeFalse();
        return Task.FromResult(lasts);
    });

    [Fact]
    public Task It_is_not_given_up_to_those_that_wait() => InWholeSlice(async (_, cpu) =>
    {
        (int slices, long end) = (cpu.GetUsage().SliceCount, OwnEnd);
        Own.NeedsAttention = true;

        await cpu.CheckpointAsync();

        bool goesOn = cpu.GetUsage().SliceCount == slices;
        (goesOn || Own.WaitingSince >= end).Should().BeTrue("it is given up when it is over");
        return goesOn;
    });

    [Fact]
    public async Task What_follows_it_at_once_is_not_whole()
    {
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);

        await pool.RunAsync(async cpu =>
        {
            WorkerThread.Current!.Slot!.IsWhole = true;
            for (int slices = cpu.GetUsage().SliceCount; cpu.GetUsage().SliceCount == slices;)
            {
                await cpu.CheckpointAsync();
            }

            WorkerThread.Current!.Slot!.IsWhole.Should().BeFalse();
        }).Soon();
    }

    /// <summary>Interrupts a task for a stream of others that never ends, and looks at it in the whole slices that it gets in spite of them.</summary>
    /// <param name="look">Says whether the slice was long enough to see something; otherwise it has another look at the next.</param>
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

        // The next one waits before the last ends.
        void Stream() => _ = pool.RunAsync(_ =>
        {
            if (!Volatile.Read(ref hasSeen))
            {
                Stream();
            }
        });
    }
}
