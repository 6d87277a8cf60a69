namespace Picollo.PerfEvent;

/// <summary>A reading of one counter: its count, and the times for which it was enabled and actually counted.</summary>
internal struct PerfReading
{
    public ulong Raw;
    public ulong EnabledNanoseconds;
    public ulong RunningNanoseconds;

    /// <summary>The count, scaled to the time for which the counter was enabled.</summary>
    public ulong Scaled;

    public PerfReading(ulong raw, ulong enabledNanoseconds, ulong runningNanoseconds)
    {
        Raw = raw;
        EnabledNanoseconds = enabledNanoseconds;
        RunningNanoseconds = runningNanoseconds;
        Scaled = PerfMath.Scale(raw, enabledNanoseconds, runningNanoseconds);
    }

    /// <summary>The time for which the counter was enabled but did not count.</summary>
    public readonly ulong OffNanoseconds => EnabledNanoseconds - RunningNanoseconds;

    /// <summary>Returns the count and the times since an earlier reading.</summary>
    public readonly PerfEventCounterValue Since(in PerfReading earlier) => new()
    {
        Value = PerfMath.Subtract(Raw, earlier.Raw),
        TimeEnabled = PerfMath.Subtract(EnabledNanoseconds, earlier.EnabledNanoseconds),
        TimeRunning = PerfMath.Subtract(RunningNanoseconds, earlier.RunningNanoseconds),
    };

    /// <summary>Adds another counter of the same event, on another thread.</summary>
    public void Add(ulong raw, ulong enabledNanoseconds, ulong runningNanoseconds)
    {
        Raw += raw;
        EnabledNanoseconds += enabledNanoseconds;
        RunningNanoseconds += runningNanoseconds;
        Scaled += PerfMath.Scale(raw, enabledNanoseconds, runningNanoseconds);
    }
}

/// <summary>The arithmetic of counters. All operations saturate.</summary>
internal static class PerfMath
{
    /// <summary>Scales the count of a multiplexed counter by enabled / running (perf_event_open(2)). 0 if the counter never ran.</summary>
    public static ulong Scale(ulong raw, ulong enabledNanoseconds, ulong runningNanoseconds) =>
        enabledNanoseconds == runningNanoseconds ? raw : ScaleTurns(raw, enabledNanoseconds, runningNanoseconds);

    /// <summary>Returns the count between two readings, scaled by the times between them, minus the overhead of reading. If the counter ran
    /// for the whole interval, the result is exact, regardless of how long it was off before (the difference of the scaled counts would not
    /// be). If it was off for the whole interval, there is nothing to scale, and its average count is used.</summary>
    public static ulong Delta(in PerfReading before, in PerfReading after, ulong overhead)
    {
        PerfEventCounterValue delta = after.Since(before);
        return delta.TimeEnabled <= delta.TimeRunning ? Subtract(delta.Value, overhead)
            : delta.TimeRunning > 0 ? Subtract(delta.ScaledValue, overhead)
            : Delta(before.Scaled, after.Scaled, overhead);
    }

    /// <summary>Returns the count between two readings, minus the overhead of reading; never below 0. (A scaled count can decrease slightly
    /// if the counter was off more than before.)</summary>
    public static ulong Delta(ulong before, ulong after, ulong overhead) =>
        after <= before ? 0 : Subtract(after - before, overhead);

    /// <summary>Subtracts, with a minimum of 0.</summary>
    public static ulong Subtract(ulong value, ulong amount) => value <= amount ? 0 : value - amount;

    /// <summary>Returns the fraction of the enabled time in which a counter counted; null if it was not enabled.</summary>
    public static double? Share(ulong enabledNanoseconds, ulong runningNanoseconds) =>
        enabledNanoseconds == 0 ? null : Math.Min(1, (double)runningNanoseconds / enabledNanoseconds);

    // Not inlined, because its division would use the registers of the calling loop.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong ScaleTurns(ulong raw, ulong enabledNanoseconds, ulong runningNanoseconds)
    {
        if (runningNanoseconds == 0)
        {
            return 0;
        }

        UInt128 scaled = (UInt128)raw * enabledNanoseconds / runningNanoseconds;
        return scaled <= ulong.MaxValue ? (ulong)scaled : ulong.MaxValue;
    }
}
