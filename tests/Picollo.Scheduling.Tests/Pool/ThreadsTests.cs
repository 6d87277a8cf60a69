using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Tests the number of threads of a pool, and that they outlive every task but not the pool.</summary>
public class ThreadsTests : OnePool
{
    [Fact]
    public async Task Changes_of_a_body_to_its_thread_do_not_affect_the_next_body()
    {
        await Pool.RunAsync(_ =>
        {
            Thread.CurrentThread.Priority = ThreadPriority.Lowest;
            Thread.CurrentThread.IsBackground = false;
        }).Soon();

        (ThreadPriority, bool) after = await Pool.RunAsync(_ => (Thread.CurrentThread.Priority, Thread.CurrentThread.IsBackground)).Soon();
        after.Should().Be((ThreadPriority.Normal, true));
    }

    [Fact]
    public async Task The_number_of_stopped_threads_is_limited_and_further_bodies_continue()
    {
        const int limit = CpuScheduler.MaxStoppedThreads + 1;
        const int more = 10;
        await using CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        var threads = new ConcurrentDictionary<Thread, bool>();
        int startedCount = 0;
        int? startedAtTheEnd = null;

        // Each starts when the previous one has stopped, until one does not stop.
        await Task.WhenAll(Enumerable.Range(0, limit + more).Select(_ => pool.RunAsync(Body))).Soon();

        // On a busy machine, a thread that wakes late may look blocked, and one more body runs in its place.
        startedAtTheEnd.Should().BeInRange(limit, limit + more - 1);
        startedCount.Should().Be(limit + more);
        threads.Count.Should().BeInRange(limit, limit + more - 1, "later bodies reused threads");

        void Body(CpuTaskContext cpu)
        {
            Interlocked.Increment(ref startedCount);
            threads.TryAdd(Thread.CurrentThread, true);

            // The last body continues for many slices while others wait.
            for (int passed = 0; startedAtTheEnd is null;)
            {
                Pools.Spin(Pools.Short);
                cpu.Checkpoint();
                if (Volatile.Read(ref startedCount) >= limit && ++passed == 20)
                {
                    startedAtTheEnd = Volatile.Read(ref startedCount);
                }
            }
        }
    }

    [Fact]
    public async Task A_stopped_thread_is_reused()
    {
        var threads = new ConcurrentDictionary<Thread, bool>();

        // This needs two threads in total, one for each of the two tasks.
        for (int i = 0; i < 50; i++)
        {
            await InterruptedAsync(Pool, () => threads.TryAdd(Thread.CurrentThread, true));
        }

        threads.Should().HaveCount(2);
    }

    [Fact]
    public void A_pool_without_tasks_has_no_threads()
    {
        (CpuWorkerPool pool, ConcurrentQueue<Thread> started) = Pools.CreateWithThreads(1, () => int.MaxValue);
        _ = (pool.Statistics.WaitingCount, pool.Statistics.GetRunningTasks(), pool.TaskScheduler);
        pool.Dispose();
        FluentActions.Invoking(() => { _ = pool.RunAsync(_ => { }); }).Should().Throw<ObjectDisposedException>();
        started.Should().BeEmpty();
    }

    [Fact]
    public async Task All_threads_start_with_the_first_task()
    {
        (CpuWorkerPool pool, ConcurrentQueue<Thread> started) = Pools.CreateWithThreads(3, () => int.MaxValue);

        await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => Task.Run(() => pool.RunAsync(_ => { })))).Soon();

        started.Select(thread => thread.Name).Should().Equal("CPU worker 1", "CPU worker 2", "CPU worker 3", "CPU worker timer");
        await pool.DisposeAsync();
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    public async Task A_pool_that_cannot_start_all_its_threads_starts_the_rest_with_the_next_task(int available)
    {
        (CpuWorkerPool pool, ConcurrentQueue<Thread> started) = Pools.CreateWithThreads(4, () => available);

        pool.Invoking(each => { _ = each.RunAsync(_ => { }); }).Should().Throw<OutOfMemoryException>();
        (started.Count, pool.Statistics.SubmittedCount).Should().Be((available, 0));
        available = int.MaxValue;
        await pool.AllWorkersShouldRun(4);

        started.Should().HaveCount(5);
        await pool.DisposeAsync().AsTask().Soon();
        started.Should().OnlyContain(thread => thread.Join(Pools.Deadline));
    }

    [Fact]
    public async Task Threads_that_could_not_be_started_do_not_count_as_stopped()
    {
        int available = int.MaxValue;
        (CpuWorkerPool pool, _) = Pools.CreateWithThreads(1, () => Volatile.Read(ref available));
        await pool.RunAsync(_ => { }).Soon();
        Volatile.Write(ref available, 0);
        for (int i = 0; i < CpuScheduler.MaxStoppedThreads; i++)
        {
            await InterruptedAsync(pool).Awaiting(task => task).Should().ThrowAsync<OutOfMemoryException>();
        }

        Volatile.Write(ref available, int.MaxValue);

        await InterruptedAsync(pool);
        await pool.DisposeAsync();
    }

    [Fact]
    public async Task A_disposed_pool_can_be_collected_even_if_callers_keep_the_token_and_the_tasks()
    {
        using var source = new CancellationTokenSource();
        (WeakReference pool, Task[] tasks) = Use(source.Token);

        await Pools.UntilCollected(pool); // its threads need a moment to end

        tasks.Should().OnlyContain(task => task.IsCompleted);
    }

    [Fact]
    public Task An_idle_worker_does_not_keep_the_result_of_its_last_task_alive() => Pools.UntilCollected(RunOnce(Pool));

    /// <summary>Runs a task whose checkpoints return only after another task, which interrupts it, has run.</summary>
    private static async Task InterruptedAsync(CpuWorkerPool pool, Action? onThread = null)
    {
        bool hasRun = false;
        using var hasStarted = new ManualResetEventSlim();
        Task stopped = pool.RunAsync(cpu =>
        {
            onThread?.Invoke();
            for (hasStarted.Set(); !Volatile.Read(ref hasRun);)
            {
                cpu.Checkpoint();
            }
        });
        hasStarted.Await();
        await pool.RunAsync(_ =>
        {
            onThread?.Invoke();
            Volatile.Write(ref hasRun, true);
        }).Soon();
        await stopped.Soon();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference RunOnce(CpuWorkerPool pool) => new(pool.RunAsync(async _ =>
    {
        await Task.Yield(); // the rest runs as a continuation
        return new object();
    }).GetAwaiter().GetResult());

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static (WeakReference Pool, Task[] Tasks) Use(CancellationToken token)
    {
        CpuWorkerPool pool = Pools.Create(slice: Pools.Short);
        Busy stops = Busy.Start(pool, isBlocking: true, token: token);
        Task[] tasks =
        [
            pool.RunAsync(cpu => { _ = cpu.CancellationToken.Register(static _ => { }, pool); }, cancellationToken: token),
            pool.RunAsync(cpu => cpu.RunOutsideAsync(token => Task.Delay(1, token)), cancellationToken: token),
            pool.RunAsync(_ => Task.FromException(new FormatException()), cancellationToken: token),
            pool.ForEachAsync(Enumerable.Range(0, 10), (_, _) => { }, cancellationToken: token),
        ];
        Array.ForEach(tasks, task => task.Ended().Wait(CancellationToken.None));
        stops.Stop();
        var held = Held.Worker(pool);
        Task neverStarts = pool.RunAsync(_ => { }, cancellationToken: token);
        Task disposed = pool.DisposeAsync().AsTask();
        held.Dispose();
        disposed.Wait(Pools.Deadline, CancellationToken.None);
        return (new WeakReference(pool), [.. tasks, stops.Task, neverStarts]);
    }
}
