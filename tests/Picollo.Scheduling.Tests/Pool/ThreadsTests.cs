using System.Collections.Concurrent;
using System.Runtime.CompilerServices;

namespace Picollo.Scheduling.Tests.Pool;

/// <summary>Tests the number of threads of a pool, and that they outlive every task but not the pool.</summary>
public class ThreadsTests
{
    [Fact]
    public async Task Changes_of_a_body_to_its_thread_do_not_affect_the_next_body()
    {
        await using CpuWorkerPool pool = Pools.Create();

        await pool.RunAsync(_ =>
        {
            Thread.CurrentThread.Priority = ThreadPriority.Lowest;
            Thread.CurrentThread.IsBackground = false;
        }).Soon();

        (ThreadPriority, bool) after = await pool.RunAsync(_ => (Thread.CurrentThread.Priority, Thread.CurrentThread.IsBackground)).Soon();
        after.Should().Be((ThreadPriority.Normal, true));
    }

    [Fact]
    public async Task The_number_of_stopped_threads_is_limited_and_further_bodies_continue()
    {
        const int limit = CpuScheduler.MaxStoppedThreads + 1;
        const int more = 10;
        await using CpuWorkerPool pool = Pools.Create(workers: 1, slice: Pools.Short);
        var threads = new HashSet<Thread>();
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
            lock (threads)
            {
                threads.Add(Thread.CurrentThread);
            }

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
    public async Task A_body_continues_after_a_blocking_checkpoint_on_the_same_thread()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 2, slice: Pools.Short);

        bool[] stayed = await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => pool.RunAsync(cpu =>
        {
            Thread thread = Thread.CurrentThread;
            SynchronizationContext context = SynchronizationContext.Current!;
            bool stays = true;
            while (cpu.SliceCount < 4)
            {
                cpu.Checkpoint();
                stays &= thread == Thread.CurrentThread && context == SynchronizationContext.Current;
            }

            return stays;
        }))).Soon();

        stayed.Should().OnlyContain(each => each);
    }

    [Fact]
    public async Task A_stopped_thread_is_reused()
    {
        await using CpuWorkerPool pool = Pools.Create(workers: 1);
        var threads = new HashSet<Thread>();

        // In each round, an arriving task interrupts the first one. This needs two threads in total, one for each of the two tasks.
        for (int i = 0; i < 50; i++)
        {
            bool hasRun = false;
            using var hasStarted = new ManualResetEventSlim();
            Task stopped = pool.RunAsync(cpu =>
            {
                threads.Add(Thread.CurrentThread);
                hasStarted.Set();
                while (!Volatile.Read(ref hasRun))
                {
                    cpu.Checkpoint();
                }
            });
            hasStarted.Await();
            await pool.RunAsync(_ =>
            {
                threads.Add(Thread.CurrentThread);
                Volatile.Write(ref hasRun, true);
            }).Soon();
            await stopped.Soon();
        }

        threads.Should().HaveCount(2);
    }

    [Fact]
    public async Task All_workers_continue_after_bodies_throw_while_others_are_stopped()
    {
        const int workers = 2;
        await using CpuWorkerPool pool = Pools.Create(workers, Pools.Short);
        Task[] tasks = [.. Enumerable.Range(0, 60).Select(i => pool.RunAsync(cpu =>
        {
            for (int step = 0; step < 5; step++)
            {
                Pools.Spin(TimeSpan.FromMicroseconds(300));
                cpu.Checkpoint();
            }

            if (i % 3 == 0)
            {
                throw new FormatException();
            }
        }))];
        await Task.WhenAll(tasks).Ended();

        using var all = new Barrier(workers);
        bool[] met = await Task.WhenAll(Enumerable.Range(0, workers).Select(_ => pool.RunAsync(_ => all.SignalAndWait(Pools.Deadline)))).Soon();

        met.Should().OnlyContain(each => each);
        tasks.Count(task => task.IsFaulted).Should().Be(20);
        pool.Statistics.FailedCount.Should().Be(20);
    }

    [Fact]
    public void A_pool_without_tasks_has_no_threads()
    {
        int started = 0;
        var pool = new CpuWorkerPool(new CpuWorkerPoolOptions
        {
            StartThread = thread =>
            {
                started++;
                thread.UnsafeStart();
            },
        });
        _ = (pool.Statistics.WaitingCount, pool.Statistics.GetRunningTasks(), pool.TaskScheduler);
        pool.Dispose();
        FluentActions.Invoking(() => { _ = pool.RunAsync(_ => { }); }).Should().Throw<ObjectDisposedException>();
        started.Should().Be(0);
    }

    [Fact]
    public async Task All_threads_start_with_the_first_task()
    {
        ConcurrentQueue<Thread> started = [];
        await using CpuWorkerPool pool = new(new CpuWorkerPoolOptions
        {
            WorkerCount = 3,
            StartThread = thread =>
            {
                started.Enqueue(thread);
                thread.UnsafeStart();
            },
        });

        await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => Task.Run(() => pool.RunAsync(_ => { })))).Soon();

        started.Select(thread => thread.Name).Should().Equal("CPU worker 1", "CPU worker 2", "CPU worker 3", "CPU worker timer");
    }

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    public async Task A_pool_that_cannot_start_all_its_threads_starts_the_rest_with_the_next_task(int available)
    {
        List<Thread> started = [];
        CpuWorkerPool pool = new(new CpuWorkerPoolOptions
        {
            WorkerCount = 4,
            StartThread = thread =>
            {
                if (started.Count == available)
                {
                    throw new OutOfMemoryException();
                }

                started.Add(thread);
                thread.UnsafeStart();
            },
        });

        pool.Invoking(each => { _ = each.RunAsync(_ => { }); }).Should().Throw<OutOfMemoryException>();
        (started.Count, pool.Statistics.SubmittedCount).Should().Be((available, 0));
        available = int.MaxValue;
        using var all = new Barrier(4);
        bool[] met = await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => pool.RunAsync(_ => all.SignalAndWait(Pools.Deadline)))).Soon();

        met.Should().OnlyContain(each => each);
        started.Should().HaveCount(5);
        await pool.DisposeAsync().AsTask().Soon();
        started.TrueForAll(thread => thread.Join(Pools.Deadline)).Should().BeTrue();
    }

    [Fact]
    public async Task Threads_that_could_not_be_started_do_not_count_as_stopped()
    {
        bool hasThreads = true;
        await using CpuWorkerPool pool = new(new CpuWorkerPoolOptions
        {
            WorkerCount = 1,
            TimeSlice = Pools.Endless,
            StartThread = thread =>
            {
                if (!Volatile.Read(ref hasThreads))
                {
                    throw new OutOfMemoryException();
                }

                thread.UnsafeStart();
            },
        });
        await pool.RunAsync(_ => { }).Soon();
        Volatile.Write(ref hasThreads, false);
        for (int i = 0; i < CpuScheduler.MaxStoppedThreads; i++)
        {
            await InterruptedAsync(pool).Awaiting(task => task).Should().ThrowAsync<OutOfMemoryException>();
        }

        Volatile.Write(ref hasThreads, true);

        await InterruptedAsync(pool);
    }

    /// <summary>Runs a task whose checkpoints return only after another task, which interrupts it, has run.</summary>
    private static async Task InterruptedAsync(CpuWorkerPool pool)
    {
        bool hasRun = false;
        using var hasStarted = new ManualResetEventSlim();
        Task stopped = pool.RunAsync(cpu =>
        {
            hasStarted.Set();
            while (!Volatile.Read(ref hasRun))
            {
                cpu.Checkpoint();
            }
        });
        hasStarted.Await();
        await pool.RunAsync(_ => Volatile.Write(ref hasRun, true)).Soon();
        await stopped.Soon();
    }

    [Fact]
    public async Task A_disposed_pool_can_be_collected()
    {
        using var source = new CancellationTokenSource();
        (WeakReference pool, Task[] tasks) = Use(source.Token);

        // Its threads need a moment to end.
        await Pools.Until(() =>
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
            return !pool.IsAlive;
        });

        tasks.Should().OnlyContain(task => task.IsCompleted, "callers may keep the tasks");
    }

    /// <summary>A documented limitation: with <c>lock</c> instead of the timeout, neither task would end.</summary>
    [Fact]
    public async Task Without_extra_threads_a_body_cannot_get_the_lock_of_a_stopped_body()
    {
        await using CpuWorkerPool pool = Pools.Create();
        object gate = new();
        bool hasStarted = false;
        using var isLocked = new ManualResetEventSlim();
        Task holder = pool.RunAsync(cpu =>
        {
            lock (gate)
            {
                isLocked.Set();
                while (!Volatile.Read(ref hasStarted))
                {
                    cpu.Checkpoint();
                }
            }
        });
        isLocked.Await();

        bool hasLock = await pool.RunAsync(_ =>
        {
            Volatile.Write(ref hasStarted, true);
            return Monitor.TryEnter(gate, millisecondsTimeout: 500);
        }).Soon();

        hasLock.Should().BeFalse();
        await holder.Soon();
    }

    [Fact]
    public async Task An_idle_worker_does_not_keep_the_result_of_its_last_task_alive()
    {
        await using CpuWorkerPool pool = Pools.Create();
        WeakReference result = RunOnce(pool);

        await Pools.Until(() =>
        {
            GC.Collect();
            return !result.IsAlive;
        });
    }

    /// <summary>An example is a loop that posts its next iteration to the pool.</summary>
    [Fact]
    public async Task A_chain_of_tasks_that_start_each_other_does_not_keep_ended_tasks_alive()
    {
        await using CpuWorkerPool pool = Pools.Create();
        using ManualResetEventSlim hasStarted = new(), release = new();
        WeakReference first = StartChain(pool, 10, hasStarted, release);
        hasStarted.Await();

        await Pools.Until(() =>
        {
            GC.Collect();
            return !first.IsAlive;
        });

        release.Set();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static WeakReference StartChain(CpuWorkerPool pool, int left, ManualResetEventSlim hasStarted, ManualResetEventSlim release)
    {
        Action<CpuTaskContext> body = _ =>
        {
            if (left > 0)
            {
                StartChain(pool, left - 1, hasStarted, release);
                return;
            }

            hasStarted.Set();
            release.Await();
        };
        _ = pool.RunAsync(body);
        return new(body);
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
        CpuWorkerPool pool = Pools.Create(workers: 2, slice: Pools.Short);
        Task[] tasks =
        [
            pool.RunAsync(cpu => 5, cancellationToken: token),
            pool.RunAsync(async cpu =>
            {
                await cpu.RunOutsideAsync(token => Task.Delay(1, token));
                await cpu.CheckpointAsync();
            }, cancellationToken: token),
            pool.RunAsync(cpu =>
            {
                Pools.Spin(Pools.Short);
                cpu.Checkpoint();
            }, cancellationToken: CancellationToken.None),
            pool.RunAsync(_ => Task.FromException(new FormatException()), cancellationToken: CancellationToken.None),
            pool.ForEachAsync(Enumerable.Range(0, 10), (_, _) => { }, cancellationToken: token),
            pool.DrainAsync(token),
        ];
        foreach (Task task in tasks)
        {
            task.Ended().Wait(CancellationToken.None);
        }

        pool.Dispose();
        return (new WeakReference(pool), tasks);
    }
}
