using Picollo.Metrics;

namespace Picollo.PerfEvent;

/// <summary>One counter of a <see cref="PerfEventCounterSession"/>: what the session's last <see cref="PerfEventCounterSession.Read"/>
/// found, and the histogram of what was recorded.</summary>
/// <remarks>The values are of the session's last read and change with the next; read them on the thread that reads the session. The
/// histogram may be read by any thread at any time.</remarks>
public sealed class PerfEventCounter
{
    private PerfReading _created;
    private PerfReading _baseline;
    private PerfReading _before;
    private PerfReading _now;
    private ulong _overhead;

    internal PerfEventCounter(string name, PerfEventDefinition definition)
    {
        Name = name;
        Definition = definition;
        Histogram = HdrHistogram.Owned(HdrHistogram.Factory.WithInterlocked().Create());
    }

    /// <summary>Kind and event, such as <c>Hardware:Instructions</c>, <c>HardwareCache:L1DReadMiss</c>, or the name given.</summary>
    public string Name { get; }

    /// <summary>What <see cref="PerfEventCounterSession.Record"/> and <see cref="PerfEventCounterSession.Measure"/> recorded, since the
    /// last <see cref="PerfEventCounterSession.Reset"/>; relative error 0.001, any value, any number of writers. 115 KB, and twice as much
    /// more from the first reset on. Its <see cref="HdrHistogram.Dispose"/> does nothing.</summary>
    public HdrHistogram Histogram { get; }

    /// <summary>Events (of the kernel's clocks, nanoseconds) from the session's creation, or its last
    /// <see cref="PerfEventCounterSession.Reset"/>, to the last read; scaled if the counter took turns with others. 0 before the first
    /// read.</summary>
    public ulong Value => PerfMath.Delta(_baseline, _now, overhead: 0);

    /// <summary>Events since the session's creation as the kernel or the CPU counted them: not scaled, no reset, no overhead
    /// taken off, and with what the creation itself counted.</summary>
    public ulong RawValue => _now.Raw;

    /// <summary>Events between the last two reads, less what reading itself counts; never below 0. Scaled by the times between the
    /// two: exact where the counter counted all the time, an average of all before where it did not at all.</summary>
    public ulong Delta => PerfMath.Delta(_before, _now, _overhead);

    /// <summary>Events between the last two reads, as counted: not scaled, no overhead taken off.</summary>
    public ulong RawDelta => PerfMath.Delta(_before.Raw, _now.Raw, overhead: 0);

    /// <summary>How long the counter was enabled by the last read, since its creation, all the session's threads added up.</summary>
    public TimeSpan TimeEnabled => ToTimeSpan(EnabledNanoseconds);

    /// <summary>For how much of <see cref="TimeEnabled"/> it did count.</summary>
    public TimeSpan TimeRunning => ToTimeSpan(RunningNanoseconds);

    /// <summary><see cref="TimeRunning"/> over <see cref="TimeEnabled"/>, 0 to 1: below 1 the counter took turns with others, and
    /// <see cref="Value"/> and <see cref="Delta"/> are scaled, estimates. Null where it was never enabled.</summary>
    public double? RunningShare => PerfMath.Share(EnabledNanoseconds, RunningNanoseconds);

    internal PerfEventDefinition Definition { get; }

    private ulong EnabledNanoseconds => PerfMath.Subtract(_now.EnabledNanoseconds, _created.EnabledNanoseconds);

    private ulong RunningNanoseconds => PerfMath.Subtract(_now.RunningNanoseconds, _created.RunningNanoseconds);

    /// <summary>Name and value, such as <c>Hardware:Instructions: 260,224</c>; culture-invariant.</summary>
    /// <returns>One line.</returns>
    public override string ToString() => FormattableString.Invariant($"{Name}: {Value:N0}");

    /// <summary>Takes a new reading; <paramref name="overhead"/> is that of two readings of its kind.</summary>
    internal void Update(in PerfReading reading, ulong overhead)
    {
        _before = _now;
        _now = reading;
        _overhead = overhead;
    }

    /// <summary>Begins anew at a reading; the histogram stays.</summary>
    internal void Begin(in PerfReading reading) => _baseline = _before = _now = reading;

    /// <summary>Lets the times begin at the last reading, which is of the session's creation: before it the counters were switched on for
    /// the calibration alone.</summary>
    internal void BeginTimes() => _created = _now;

    private static TimeSpan ToTimeSpan(ulong nanoseconds) => TimeSpan.FromTicks((long)(nanoseconds / TimeSpan.NanosecondsPerTick));
}
