namespace Picollo.PerfEvent;

/// <summary>A count, with the times that scale it if the counter was multiplexed. Immutable.</summary>
public readonly record struct PerfEventCounterValue
{
    /// <summary>The number of events, unscaled (nanoseconds for the kernel's clocks).</summary>
    public ulong Value { get; init; }

    /// <summary>The time for which the counter was enabled, in nanoseconds; the sum over all counted threads.</summary>
    public ulong TimeEnabled { get; init; }

    /// <summary>The part of <see cref="TimeEnabled"/> in which the counter was counting, in nanoseconds.</summary>
    public ulong TimeRunning { get; init; }

    /// <summary><see cref="Value"/> × <see cref="TimeEnabled"/> / <see cref="TimeRunning"/>, the formula of perf_event_open(2). It is an
    /// estimate if the two times differ, and 0 if the counter was enabled but never ran.</summary>
    public ulong ScaledValue => PerfMath.Scale(Value, TimeEnabled, TimeRunning);

    /// <summary>Adds counts and times.</summary>
    /// <param name="left">The first value.</param>
    /// <param name="right">The second value.</param>
    /// <returns>The sums, modulo 2⁶⁴.</returns>
    public static PerfEventCounterValue operator +(PerfEventCounterValue left, PerfEventCounterValue right) => new()
    {
        Value = left.Value + right.Value,
        TimeEnabled = left.TimeEnabled + right.TimeEnabled,
        TimeRunning = left.TimeRunning + right.TimeRunning,
    };

    /// <summary>Subtracts counts and times.</summary>
    /// <param name="left">The later value.</param>
    /// <param name="right">The earlier value.</param>
    /// <returns>The differences; 0 if the value in <paramref name="right"/> is larger.</returns>
    public static PerfEventCounterValue operator -(PerfEventCounterValue left, PerfEventCounterValue right) => new()
    {
        Value = PerfMath.Subtract(left.Value, right.Value),
        TimeEnabled = PerfMath.Subtract(left.TimeEnabled, right.TimeEnabled),
        TimeRunning = PerfMath.Subtract(left.TimeRunning, right.TimeRunning),
    };
}
