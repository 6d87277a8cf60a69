namespace Picollo.Scheduling.Tests;

/// <summary>Counts concurrent entries, and keeps their maximum.</summary>
internal sealed class ConcurrencyCounter
{
    private int _now;
    private int _max;
    private volatile bool _hasLookedBlocked;

    public int Now => Volatile.Read(ref _now);

    public int Max => Volatile.Read(ref _max);

    /// <summary>Creates a counter of the bodies of a pool, before its first task.</summary>
    public static ConcurrencyCounter OfBodies(CpuWorkerPool pool)
    {
        var counter = new ConcurrencyCounter();
        pool.WorkerBlocked += (_, _) => counter._hasLookedBlocked = true;
        return counter;
    }

    /// <summary>Checks that the worker count was never exceeded. On a busy machine, a thread that is woken late may look blocked, and a stopped
    /// body continues in its place. Then the pool has reported it.</summary>
    public Task ShouldNotExceed(int workers) => Max <= workers ? Task.CompletedTask : Pools.Until(() => _hasLookedBlocked);

    public void Enter()
    {
        int now = Interlocked.Increment(ref _now);
        for (int max = _max; max < now && Interlocked.CompareExchange(ref _max, now, max) != max; max = _max)
        {
        }
    }

    public void Leave() => Interlocked.Decrement(ref _now);
}
