using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Picollo.Scheduling.Tests;

/// <summary>What the tests of the pool share. None judges a time: what is waited for comes, or is overdue beyond all doubt.</summary>
internal static class Pools
{
    /// <summary>After this, what has not come never comes.</summary>
    public static readonly TimeSpan Deadline = TimeSpan.FromSeconds(60);

    /// <summary>The longest slice: in a test, it never ends.</summary>
    public static readonly TimeSpan Endless = TimeSpan.FromSeconds(10);

    /// <summary>The shortest slice.</summary>
    public static readonly TimeSpan Short = TimeSpan.FromMilliseconds(1);

    private static int _number;

    /// <summary>Tests block threads of the thread pool, which would add others one by one.</summary>
    [ModuleInitializer]
    internal static void AddThreads() => ThreadPool.SetMinThreads(32, 32);

    /// <summary>A pool with a name of its own, and slices that do not end unless it is said. Bodies that block keep their workers, so that
    /// tests can hold these.</summary>
    public static CpuWorkerPool Create(int workers = 1, TimeSpan? slice = null, int extraThreads = 0) => new(new CpuWorkerPoolOptions
    {
        WorkerCount = workers,
        MaxExtraThreads = extraThreads,
        TimeSlice = slice ?? Endless,
        Name = $"pool{Interlocked.Increment(ref _number)}", // short: Linux keeps 15 characters of a thread's name
    });

    /// <summary>The task, or an exception if it does not end.</summary>
    public static Task Soon(this Task task) => task.WaitAsync(Deadline);

    /// <inheritdoc cref="Soon(Task)"/>
    public static Task<T> Soon<T>(this Task<T> task) => task.WaitAsync(Deadline);

    /// <summary>The task when it has ended, in whatever way.</summary>
    public static async Task<Task> Ended(this Task task)
    {
        await task.WaitAsync(Deadline).ContinueWith(_ => { }, TaskScheduler.Default);
        task.IsCompleted.Should().BeTrue("it should end within {0}", Deadline);
        return task;
    }

    /// <summary>Blocks until then.</summary>
    public static void Await(this ManualResetEventSlim signal) => signal.Wait(Deadline).Should().BeTrue("it should come within {0}", Deadline);

    /// <summary>Waits until then.</summary>
    public static async Task Until(Func<bool> condition)
    {
        for (long start = Environment.TickCount64; !condition(); await Task.Delay(1))
        {
            (Environment.TickCount64 - start).Should().BeLessThan((long)Deadline.TotalMilliseconds, "it should come to pass");
        }
    }

    /// <summary>Whether the calling thread is the pool's.</summary>
    public static bool HasThisThread(this CpuWorkerPool pool) => Thread.CurrentThread.Name?.StartsWith(pool.Name + " ", StringComparison.Ordinal) == true;

    /// <summary>Keeps the processor busy, with no checkpoint.</summary>
    public static void Spin(TimeSpan time)
    {
        for (long start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < time;)
        {
            Thread.SpinWait(1);
        }
    }
}
