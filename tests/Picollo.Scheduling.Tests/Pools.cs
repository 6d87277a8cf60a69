using System.Collections.Concurrent;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Picollo.Scheduling.Tests;

/// <summary>Helpers for the tests of pools. Tests do not assert durations: they wait with a generous deadline.</summary>
internal static class Pools
{
    /// <summary>The time after which a wait fails.</summary>
    public static readonly TimeSpan Deadline = TimeSpan.FromSeconds(60);

    /// <summary>The longest slice, which never ends in a test.</summary>
    public static readonly TimeSpan Endless = TimeSpan.FromSeconds(10);

    /// <summary>The shortest slice.</summary>
    public static readonly TimeSpan Short = TimeSpan.FromMilliseconds(1);

    private static int _number;

    /// <summary>Adds threads to the thread pool, because tests block threads and the pool adds new ones slowly.</summary>
    [ModuleInitializer]
    internal static void AddThreads() => ThreadPool.SetMinThreads(32, 32);

    /// <summary>Creates a pool with a unique name and, by default, slices that do not end. By default, blocked bodies keep their workers, so
    /// that tests can occupy workers.</summary>
    public static CpuWorkerPool Create(
        int workers = 1, TimeSpan? slice = null, int extraThreads = 0, Action<Seam>? atSeam = null) => new(new CpuWorkerPoolOptions
        {
            WorkerCount = workers,
            MaxExtraThreads = extraThreads,
            TimeSlice = slice ?? Endless,
            AtSeam = atSeam,
            Name = $"pool{Interlocked.Increment(ref _number)}", // short: Linux keeps 15 characters of a thread's name
        });

    /// <summary>Returns the task, or throws if it does not end.</summary>
    public static Task Soon(this Task task) => task.WaitAsync(Deadline);

    /// <inheritdoc cref="Soon(Task)"/>
    public static Task<T> Soon<T>(this Task<T> task) => task.WaitAsync(Deadline);

    /// <summary>Returns the task after it has ended, with any outcome.</summary>
    public static async Task<Task> Ended(this Task task)
    {
        await task.WaitAsync(Deadline).ContinueWith(_ => { }, TaskScheduler.Default);
        task.IsCompleted.Should().BeTrue("it should end within {0}", Deadline);
        return task;
    }

    /// <summary>Blocks until the event is set.</summary>
    public static void Await(this ManualResetEventSlim signal) => signal.Wait(Deadline).Should().BeTrue("it should be set within {0}", Deadline);

    /// <summary>Waits until the condition is true.</summary>
    public static async Task Until(Func<bool> condition)
    {
        for (long start = Environment.TickCount64; !condition(); await Task.Delay(1))
        {
            (Environment.TickCount64 - start).Should().BeLessThan((long)Deadline.TotalMilliseconds, "the condition should become true");
        }
    }

    /// <summary>Calls the checkpoint of the given kind.</summary>
    public static async Task CheckpointAsync(this CpuTaskContext cpu, bool isBlocking)
    {
        if (isBlocking)
        {
            cpu.Checkpoint();
            return;
        }

        await cpu.CheckpointAsync();
    }

    /// <summary>Posts an action to the current task. Returns a task that ends after it.</summary>
    public static Task Posted(Action? action = null)
    {
        var hasRun = new TaskCompletionSource();
        SynchronizationContext.Current!.Post(
            _ =>
            {
                action?.Invoke();
                hasRun.SetResult();
            },
            null);
        return hasRun.Task;
    }

    /// <summary>Creates a pool that fails to start a thread if as many threads as are available have started.</summary>
    public static (CpuWorkerPool Pool, ConcurrentQueue<Thread> Started) CreateWithThreads(int workers, Func<int> available)
    {
        ConcurrentQueue<Thread> started = [];
        var options = new CpuWorkerPoolOptions
        {
            WorkerCount = workers,
            TimeSlice = Endless,
            StartThread = thread =>
            {
                if (started.Count >= available())
                {
                    throw new OutOfMemoryException();
                }

                started.Enqueue(thread);
                thread.UnsafeStart();
            },
        };
        return (new CpuWorkerPool(options), started);
    }

    /// <summary>Waits until all tasks of the pool have ended or are outside the workers.</summary>
    public static Task UntilIdle(this CpuWorkerPool pool) =>
        Until(() => pool.Statistics.WaitingCount == 0 && pool.Statistics.GetRunningTasks().Count == 0);

    /// <summary>Waits until an object is collected.</summary>
    public static Task UntilCollected(WeakReference reference) => Until(() =>
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return !reference.IsAlive;
    });

    /// <summary>Checks that all workers run tasks at the same time.</summary>
    public static async Task AllWorkersShouldRun(this CpuWorkerPool pool, int workers)
    {
        using var all = new Barrier(workers);
        Task<bool>[] tasks = [.. Enumerable.Range(0, workers).Select(_ => pool.RunAsync(_ => all.SignalAndWait(Deadline)))];
        (await Task.WhenAll(tasks).Soon()).Should().OnlyContain(hasMet => hasMet);
    }

    /// <summary>Returns whether the calling thread belongs to the pool.</summary>
    public static bool HasThisThread(this CpuWorkerPool pool) => Thread.CurrentThread.Name?.StartsWith(pool.Name + " ", StringComparison.Ordinal) == true;

    /// <summary>Keeps the processor busy, without a checkpoint.</summary>
    public static void Spin(TimeSpan time)
    {
        for (long start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < time;)
        {
            Thread.SpinWait(1);
        }
    }
}
