using Picollo.Metrics;

namespace Picollo.PerfEvent;

/// <summary>One counter of a <see cref="PerfEventCounterSession"/>: what the session's last <see cref="PerfEventCounterSession.Read"/>
/// found, and the histogram of what was recorded.</summary>
/// <remarks>The values are of the session's last read and change with the next; read them on the thread that reads the session. The
/// histogram may be read by any thread at any time.</remarks>
public sealed class PerfEventCounter
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

    /// <summary>Kind and event, such as <c>Hardware:Instructions</c>, <c>HardwareCache:L1DReadMiss</c>, or the name given.</summary>
    public string Name { get; }

    /// <summary>What <see cref="PerfEventCounterSession.Record"/> and <see cref="PerfEventCounterSession.Measure"/> recorded, since the
    /// last <see cref="PerfEventCounterSession.Reset"/>; relative error 0.001, any value, any number of writers. It takes memory for what
    /// is recorded, at most 115 KB, and 230 KB more from the first reset on. Its <see cref="HdrHistogram.Dispose"/> does nothing.</summary>
    public HdrHistogram Histogram { get; }

    /// <summary>The kind of the event (<c>perf_event_attr.type</c>). PMUs that only some machines have use numbers without a
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

    /// <summary>Events (of the kernel's clocks, nanoseconds) from the session's creation, or its last
    /// <see cref="PerfEventCounterSession.Reset"/>, to the last read; scaled if the counter took turns with others. 0 before the first
    /// read.</summary>
    public ulong Value => PerfMath.Delta(_baseline, _now, overhead: 0);

    /// <summary>The unscaled count behind <see cref="Value"/>, with the times that scale it.</summary>
    public PerfEventCounterValue Current => _now.Since(_baseline);

    /// <summary>The unscaled count and the times between the last two reads, less <see cref="PairReadOverhead"/>; never below 0.
    /// <see cref="PerfEventCounterValue.ScaledValue"/> is an estimate if the counter took turns with others, otherwise exact.</summary>
    public PerfEventCounterValue Delta => RawDelta - new PerfEventCounterValue { Value = PairReadOverhead };

    /// <summary>The unscaled count and the times between the last two reads, including <see cref="PairReadOverhead"/>.</summary>
    public PerfEventCounterValue RawDelta => _now.Since(_before);

    /// <summary>The count that two consecutive reads add themselves, for reads of the kind (system call or user space) of the last two.
    /// Measured once, when the session is created. 0 if the session does not count the thread that reads it.</summary>
    public ulong PairReadOverhead { get; private set; }

    /// <summary>The time that the counter was enabled, from the session's creation or its last
    /// <see cref="PerfEventCounterSession.Reset"/> to the last read; the sum over all counted threads.</summary>
    public TimeSpan TimeEnabled => ToTimeSpan(Current.TimeEnabled);

    /// <summary>The part of <see cref="TimeEnabled"/> in which the counter was counting.</summary>
    public TimeSpan TimeRunning => ToTimeSpan(Current.TimeRunning);

    /// <summary><see cref="TimeRunning"/> over <see cref="TimeEnabled"/>, 0 to 1: below 1 the counter took turns with others, and
    /// <see cref="Value"/> is scaled, an estimate. Null where it was never enabled.</summary>
    public double? RunningShare => PerfMath.Share(Current.TimeEnabled, Current.TimeRunning);

    internal PerfEventDefinition Definition { get; }

    /// <summary>The scaled <see cref="Delta"/> that is recorded. A counter that did not run between the two reads is estimated by its
    /// average until then, since 0 would be wrong.</summary>
    internal ulong ScaledDelta => PerfMath.Delta(_before, _now, PairReadOverhead);

    /// <summary>Name and value, such as <c>Hardware:Instructions: 260,224</c>; culture-invariant.</summary>
    /// <returns>One line.</returns>
    public override string ToString() => FormattableString.Invariant($"{Name}: {Value:N0}");

    /// <summary>Reserves the counter for one session; false if another session, open or disposed, has it.</summary>
    internal bool TryClaim() => Interlocked.Exchange(ref _isClaimed, 1) == 0;

    /// <summary>Ends the reservation of a session that could not be created.</summary>
    internal void Release() => Volatile.Write(ref _isClaimed, 0);

    /// <summary>Takes the capabilities of the counter's page.</summary>
    internal void Join(PerfPageCapabilities capabilities)
    {
        HasUserRdpmc = capabilities.HasFlag(PerfPageCapabilities.UserRdpmc);
        HasUserTime = capabilities.HasFlag(PerfPageCapabilities.UserTime);
    }

    /// <summary>Takes a new reading; <paramref name="overhead"/> is that of two readings of this kind.</summary>
    internal void Update(in PerfReading reading, ulong overhead)
    {
        _before = _now;
        _now = reading;
        PairReadOverhead = overhead;
    }

    /// <summary>Restarts the values at a reading; the histogram stays.</summary>
    internal void Begin(in PerfReading reading, ulong overhead)
    {
        _baseline = _before = _now = reading;
        PairReadOverhead = overhead;
    }

    private static TimeSpan ToTimeSpan(ulong nanoseconds) => TimeSpan.FromTicks((long)(nanoseconds / TimeSpan.NanosecondsPerTick));
}
