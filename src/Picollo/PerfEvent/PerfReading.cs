using System.Runtime.CompilerServices;

namespace Picollo.PerfEvent;

/// <summary>What one counter stood at: its count, and for how long it was enabled and in fact counted.</summary>
internal struct PerfReading
{
    public ulong Raw;
    public ulong EnabledNanoseconds;
    public ulong RunningNanoseconds;

    /// <summary>The count as it would be, had the counter run all the time that it was enabled.</summary>
    public ulong Scaled;

    /// <summary>What one counter on one thread stood at.</summary>
    public PerfReading(ulong raw, ulong enabledNanoseconds, ulong runningNanoseconds)
    {
        Raw = raw;
        EnabledNanoseconds = enabledNanoseconds;
        RunningNanoseconds = runningNanoseconds;
        Scaled = PerfMath.Scale(raw, enabledNanoseconds, runningNanoseconds);
    }

    /// <summary>For how long it was enabled and did not count.</summary>
    public readonly ulong OffNanoseconds => EnabledNanoseconds - RunningNanoseconds;

    /// <summary>What was counted, and the times that passed, since an earlier reading.</summary>
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

/// <summary>The arithmetic of counters: nothing wraps, everything stops at its limits.</summary>
internal static class PerfMath
{
    /// <summary>perf_event_open(2): a counter that took turns with others is scaled by enabled / running. 0 where it never ran.</summary>
    public static ulong Scale(ulong raw, ulong enabledNanoseconds, ulong runningNanoseconds) =>
        enabledNanoseconds == runningNanoseconds ? raw : ScaleTurns(raw, enabledNanoseconds, runningNanoseconds);

    /// <summary>Between two readings: what was counted then, scaled by the times that passed then, less what reading itself counts.
    /// A region all through which the counter counted is exact, however often it was off before (the difference of the scaled counts
    /// would not be). Where it was off all through, there is nothing to scale: what it counts on average stands for it.</summary>
    public static ulong Delta(in PerfReading before, in PerfReading after, ulong overhead)
    {
        PerfEventCounterValue delta = after.Since(before);
        return delta.TimeEnabled <= delta.TimeRunning ? Subtract(delta.Value, overhead)
            : delta.TimeRunning > 0 ? Subtract(delta.ScaledValue, overhead)
            : Delta(before.Scaled, after.Scaled, overhead);
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

    // Not inlined: its division takes the registers of the loop that calls it.
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
