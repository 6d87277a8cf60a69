namespace Picollo.Scheduling.Tests;

/// <summary>Counts concurrent entries, and keeps their maximum.</summary>
internal sealed class Inside
{
    private int _now;
    private int _most;

    public int Now => Volatile.Read(ref _now);

    public int Most => Volatile.Read(ref _most);

    public void Enter()
    {
        int now = Interlocked.Increment(ref _now);
        for (int most = _most; most < now && Interlocked.CompareExchange(ref _most, now, most) != most; most = _most)
        {
        }
    }

    public void Leave() => Interlocked.Decrement(ref _now);
}
