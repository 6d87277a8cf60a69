namespace Picollo.PerfEvent;

/// <summary>The arithmetic of counters: nothing wraps, everything stops at its limits.</summary>
internal static class PerfMath
{
    /// <summary>perf_event_open(2): a counter that took turns with others is scaled by enabled / running. 0 where it never ran.</summary>
    public static ulong Scale(ulong raw, ulong enabledNanoseconds, ulong runningNanoseconds)
    {
        if (enabledNanoseconds == runningNanoseconds || runningNanoseconds == 0)
        {
            return runningNanoseconds == 0 && enabledNanoseconds != 0 ? 0 : raw;
        }

        UInt128 scaled = (UInt128)raw * enabledNanoseconds / runningNanoseconds;
        return scaled <= ulong.MaxValue ? (ulong)scaled : ulong.MaxValue;
    }

    /// <summary>What was counted between two readings, less what reading itself counts; never below 0. (A scaled count can go back
    /// a little, when the counter was off more than before.)</summary>
    public static ulong Delta(ulong before, ulong after, ulong overhead) =>
        after <= before ? 0 : Subtract(after - before, overhead);

    /// <summary>Subtraction that stops at 0.</summary>
    public static ulong Subtract(ulong value, ulong amount) => value <= amount ? 0 : value - amount;

    /// <summary>Which part of the time that it was enabled a counter counted; null where it was not enabled.</summary>
    public static double? Share(ulong enabledNanoseconds, ulong runningNanoseconds) =>
        enabledNanoseconds == 0 ? null : Math.Min(1, (double)runningNanoseconds / enabledNanoseconds);
}
