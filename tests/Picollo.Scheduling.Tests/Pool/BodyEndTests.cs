namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Tests the end of a body whose continuation runs in the thread pool because the pool found its worker blocked. In all tests, the
/// worker is blocked only in a seam.</summary>
public class BodyEndTests
{
    [Fact]
    public async Task A_body_whose_continuation_was_taken_to_the_thread_pool_ends()
    {
        using var go = new ManualResetEventSlim();
        int steps = 0;
        CpuWorkerPool pool = Pools.Create(slice: Pools.Short, atSeam: seam =>
        {
            if (seam == Seam.StepEnded && Interlocked.Increment(ref steps) == 1)
            {
                go.Wait(Pools.Deadline);
            }
        });
        var end = new TaskCompletionSource();
        Task task = pool.RunAsync(async _ =>
        {
            await Task.Yield();
            await end.Task.ConfigureAwait(false);
        });
        Task next = pool.RunAsync(_ => { });
        await Pools.Until(() => pool.Statistics.BlockedCount == 1);
        go.Set();
        await next.Soon();
        end.SetResult();

        await task.Soon();
        await pool.DisposeAsync().AsTask().Soon();
    }

    [Fact]
    public async Task A_reading_from_before_the_body_woke_does_not_make_its_worker_blocked()
    {
        using ManualResetEventSlim release = new(), hasYielded = new(), hasChecked = new();
        int readings = 0, steps = 0;
        CpuWorkerPool pool = Pools.Create(slice: Pools.Short, atSeam: seam =>
        {
            if (seam == Seam.StepEnded && Interlocked.Increment(ref steps) == 1)
            {
                hasYielded.Set();
                hasChecked.Wait(Pools.Deadline);
            }
            else if (seam == Seam.ThreadRead && ++readings == 2)
            {
                Thread.Sleep(100); // longer than the time for which a blocked thread waits
                release.Set();
                hasYielded.Wait(Pools.Deadline);
            }
            else if (readings > 2)
            {
                hasChecked.Set();
            }
        });
        bool isReported = false, isOnWorker = false;
        pool.WorkerBlocked += (_, _) => isReported = true;
        Thread? thread = null;
        Task task = pool.RunAsync(async _ =>
        {
            Volatile.Write(ref thread, Thread.CurrentThread);
            release.Wait(Pools.Deadline);
            await Task.Yield();
            isOnWorker = pool.HasThisThread();
        });
        await Pools.Until(() => Volatile.Read(ref thread)?.ThreadState.HasFlag(ThreadState.WaitSleepJoin) == true);
        Task next = pool.RunAsync(_ => { });

        await task.Soon();
        await next.Soon();
        await pool.DisposeAsync().AsTask().Soon();

        isOnWorker.Should().BeTrue("the body was not blocked anymore");
        isReported.Should().BeFalse();
    }
}
