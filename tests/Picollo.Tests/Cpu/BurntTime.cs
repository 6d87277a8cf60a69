namespace Picollo.Tests.Cpu;

/// <summary>The CPU time that was burnt for it, on whatever threads.</summary>
internal sealed class BurntTime
{
    private long _nanoseconds;

    public long Nanoseconds => Interlocked.Read(ref _nanoseconds);

    /// <summary>What a sum may differ by: 5 % or 200 µs, whichever is larger. Besides what is burnt, a flow takes its own
    /// switches, and the runtime's work on them.</summary>
    public long Tolerance => Math.Max(200_000, Nanoseconds / 20);

    /// <summary>Burns user time on the current thread, for as many accounts as are named.</summary>
    public static void Burn(int milliseconds, params BurntTime[] accounts)
    {
        long burnt = (long)Cpu.Burn.User(TimeSpan.FromMilliseconds(milliseconds)).TotalNanoseconds;
        foreach (BurntTime account in accounts)
        {
            Interlocked.Add(ref account._nanoseconds, burnt);
        }
    }
}
