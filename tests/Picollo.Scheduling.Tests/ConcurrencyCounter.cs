namespace Picollo.Scheduling.Tests;

/// <summary>Counts concurrent entries, and keeps their maximum.</summary>
internal sealed class ConcurrencyCounter
{
    private int _now;
    private int _max;

    public int Now => Volatile.Read(ref _now);

    public int Max => Volatile.Read(ref _max);

    public void Enter()
    {
        int now = Interlocked.Increment(ref _now);
        for (int max = _max; max < now && Interlocked.CompareExchange(ref _max, now, max) != max; max = _max)
        {
        }
    }

    public void Leave() => Interlocked.Decrement(ref _now);
}
