namespace Picollo.Tests.Cpu;

/// <summary>The CPU time that was burnt for an account, on any threads.</summary>
internal sealed class BurntTime
{
    private long _nanoseconds;

    public long Nanoseconds => Interlocked.Read(ref _nanoseconds);

    /// <summary>The tolerance of a sum: 5 % or 200 µs, whichever is larger. A flow also contains its own switches and the work of the
    /// runtime for them.</summary>
    public long Tolerance => Math.Max(200_000, Nanoseconds / 20);

    /// <summary>BusyLoopCount user time on the current thread, for all given accounts.</summary>
    public static void Burn(int milliseconds, params BurntTime[] accounts)
    {
        long burnt = (long)Cpu.Burn.User(TimeSpan.FromMilliseconds(milliseconds)).TotalNanoseconds;
        foreach (BurntTime account in accounts)
        {
            Interlocked.Add(ref account._nanoseconds, burnt);
        }
    }
}
