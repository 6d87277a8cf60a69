using Picollo.Metrics;

namespace Picollo.PerfEvent;

/// <summary>One counter of a <see cref="PerfEventCounterSession"/>: the values of the session's last
/// <see cref="PerfEventCounterSession.Read"/>, and the histogram of recorded values.</summary>
/// <remarks>The values change with each read of the session. Read them on the thread that reads the session. Any thread may read the
/// histogram at any time.</remarks>
public sealed partial class PerfEventCounter
{
    private int _isClaimed;
    private PerfReading _baseline;
    private PerfReading _before;
    private PerfReading _now;

    internal PerfEventCounter(string name, PerfEventDefinition definition)
    {
        Name = name;
        Definition = definition;
        Histogram = HdrHistogram.Owned(HdrHistogram.Factory.WithInterlocked().Create());
    }

    /// <summary>The kind and the event, such as <c>Hardware:Instructions</c>, <c>HardwareCache:L1DReadMiss</c>, or the given
    /// name.</summary>
    public string Name { get; }

    /// <summary>The values recorded by <see cref="PerfEventCounterSession.Record"/> and <see cref="PerfEventCounterSession.Measure"/> since
    /// the last <see cref="PerfEventCounterSession.Reset"/>; relative error 0.001, any value, any number of writers. Its memory depends on
    /// the recorded values: at most 115 KB, and 230 KB more after the first reset. Its <see cref="HdrHistogram.Dispose"/> does
    /// nothing.</summary>
    public HdrHistogram Histogram { get; }

    /// <summary>The kind of the event (<c>perf_event_attr.type</c>). PMUs that exist only on some machines have numbers without a
    /// name.</summary>
    public PerfTypeId Type => Definition.Type;

    /// <summary>The event's number within its kind (<c>perf_event_attr.config</c>).</summary>
    public ulong Config => Definition.Config;

    /// <summary>Whether the kernel permitted the counted thread to read this counter in user space when the session was created
    /// (<c>cap_user_rdpmc</c> of perf_event_open(2)). For the last read, see
    /// <see cref="PerfEventCounterSession.WasReadInUserSpace"/>.</summary>
    public bool HasUserRdpmc { get; private set; }

    /// <summary>Whether the kernel permitted the counted thread to compute the times in user space when the session was created
    /// (<c>cap_user_time</c>).</summary>
    public bool HasUserTime { get; private set; }

    /// <summary>The number of events (nanoseconds for the kernel's clocks) from the creation of the session, or its last
    /// <see cref="PerfEventCounterSession.Reset"/>, to the last <see cref="PerfEventCounterSession.Read"/>; scaled if the counter was
    /// multiplexed. 0 before the first read. <see cref="PerfEventCounterSession.Measure"/> does not change it.</summary>
    public ulong Value => PerfMath.Delta(_baseline, _now, overhead: 0);

    /// <summary>The unscaled count from which <see cref="Value"/> is computed, with the times that scale it.</summary>
    public PerfEventCounterValue Current => _now.Since(_baseline);

    /// <summary>The unscaled count and the times between the last two reads, minus the events of the reads themselves;
    /// never below 0. <see cref="PerfEventCounterValue.ScaledValue"/> is exact, or an estimate if the counter was multiplexed.</summary>
    public PerfEventCounterValue Delta => RawDelta - new PerfEventCounterValue { Value = PairReadOverhead };

    /// <summary>The time for which the counter was enabled, from the creation of the session or its last
    /// <see cref="PerfEventCounterSession.Reset"/> to the last read; the sum over all counted threads.</summary>
    public TimeSpan TimeEnabled => ToTimeSpan(Current.TimeEnabled);

    /// <summary>The part of <see cref="TimeEnabled"/> in which the counter was counting.</summary>
    public TimeSpan TimeRunning => ToTimeSpan(Current.TimeRunning);

    /// <summary><see cref="TimeRunning"/> divided by <see cref="TimeEnabled"/>, 0 to 1. If it is below 1, the counter was multiplexed, and
    /// <see cref="Value"/> is a scaled estimate. <see langword="null"/> if the counter was never enabled.</summary>
    public double? RunningShare => PerfMath.Share(Current.TimeEnabled, Current.TimeRunning);

    internal PerfEventDefinition Definition { get; }

    /// <summary>The scaled <see cref="Delta"/> to record. If the counter did not run between the two reads, the value is an estimate from
    /// its previous average, because 0 would be wrong.</summary>
    internal ulong ScaledDelta => PerfMath.Delta(_before, _now, PairReadOverhead);

    /// <summary>Formats name and value, such as <c>Hardware:Instructions: 260,224</c>; culture-invariant.</summary>
    /// <returns>One line.</returns>
    public override string ToString() => FormattableString.Invariant($"{Name}: {Value:N0}");

    /// <summary>Reserves the counter for one session; false if another session, open or disposed, has reserved it.</summary>
    internal bool TryClaim() => Interlocked.Exchange(ref _isClaimed, 1) == 0;

    /// <summary>Releases the reservation of a session that could not be created.</summary>
    internal void Release() => Volatile.Write(ref _isClaimed, 0);

    internal void Join(PerfPageCapabilities capabilities)
    {
        HasUserRdpmc = capabilities.HasFlag(PerfPageCapabilities.UserRdpmc);
        HasUserTime = capabilities.HasFlag(PerfPageCapabilities.UserTime);
    }

    /// <summary>Stores a new reading; <paramref name="overhead"/> is the overhead of two readings of this kind.</summary>
    internal void Update(in PerfReading reading, ulong overhead)
    {
        _before = _now;
        _now = reading;
        PairReadOverhead = overhead;
    }

    /// <summary>Restarts the values at a reading. The histogram does not change.</summary>
    internal void Begin(in PerfReading reading, ulong overhead)
    {
        _baseline = _before = _now = reading;
        PairReadOverhead = overhead;
    }

    private static TimeSpan ToTimeSpan(ulong nanoseconds) => TimeSpan.FromTicks((long)(nanoseconds / TimeSpan.NanosecondsPerTick));
}

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
