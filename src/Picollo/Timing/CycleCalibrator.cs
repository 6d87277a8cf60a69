using Picollo.Interop.Native;

namespace Picollo.Timing;

/// <summary>Measures the duration of a tick of the CPU's counter, refines it over time, and detects an unreliable counter.</summary>
/// <remarks>
/// <para>There is no thread or timer: a thread that measures an interval compares its end with the time of the next check, and makes the
/// check if it is due. Each check lengthens the baseline, so the error of the ratio falls from tens of ppm at the start to about 1 ppm
/// within a second of use.</para>
/// <para>If the counter and the clock disagree, the counter jumped, stepped back or changed its rate. Causes are a suspend, a virtual
/// machine's migration, or CPUs whose counters are not synchronized. The era then ends: intervals that span the end are discarded. The
/// thread that detected the disagreement calibrates again (2 ms); meanwhile, other threads discard their intervals. After repeated
/// disagreements, the clock replaces the counter permanently. <see cref="ClockMark"/> identifies the source of a timestamp, so that an
/// interval from one source to the other is also discarded.</para>
/// <para>A jump below the bound (1 ms at the longest time between checks) that makes no interval negative is not detected. Rejected
/// alternatives: a background timer (it keeps a CPU awake and is late when it matters), and reading the CPU number with each timestamp (it
/// doubles the cost).</para>
/// </remarks>
internal sealed partial class CycleCalibrator
{
    /// <summary>A mark that is added to timestamps of the clock after it replaced the counter. Counters and clocks start when the machine
    /// starts and take decades to reach a quarter of 2⁶³ (14 years at 5 GHz). A counter with a higher value is not used.</summary>
    public const long ClockMark = 1L << 62;

    private static readonly TimestampEra NoEra = new(TimestampSource.None, validFrom: 0, multiplier: 1, span: 0);

    private readonly ICycleTimeSource _source;
    private readonly Lock _gate = new();

    private TimestampEra _era; // replaced under _gate, read by any thread
    private long _clockMark; // 0, or ClockMark after the counter was replaced; set before _isCounter is cleared
    private volatile bool _isCounter; // false permanently after the counter was replaced
    private volatile string? _unavailableReason; // set before _isCounter is cleared

    private CycleCalibrator(ICycleTimeSource source, TimestampEra era, bool isCounter) =>
        (_source, _era, _isCounter) = (source, era, isCounter);

    /// <summary>Whether timestamps come from the counter.</summary>
    public bool IsCounter
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _isCounter;
    }

    /// <summary>The reason why <see cref="IsCounter"/> is false, with the remedy; null while it is true.</summary>
    public string? UnavailableReason => _unavailableReason;

    /// <summary>The picoseconds per tick of the current source, in the format of <see cref="TickRatio"/>.</summary>
    public ulong Multiplier => Volatile.Read(ref _era).Multiplier;

    /// <summary>Calibrates the counter, which takes a few milliseconds. If this fails, uses the clock and stores the reason.</summary>
    public static CycleCalibrator ForCounter(ICycleTimeSource source)
    {
        var calibrator = new CycleCalibrator(source, NoEra, isCounter: true);
        lock (calibrator._gate)
        {
            if (!calibrator.TryStartEra(out string? reason))
            {
                return ForClock(source, NotReliable(reason));
            }
        }

        return calibrator;
    }

    private static string NotReliable(string reason) =>
        $"This CPU's counter is not reliable: {reason}. {NativeShim.FallbackNote} On a virtual machine, check the hypervisor's "
        + "time-stamp counter settings. On Linux, see /sys/devices/system/clocksource/clocksource0/current_clocksource for the clock "
        + "source that the kernel uses.";

    /// <summary>Creates a calibrator without a counter: timestamps are the clock's ticks, without a mark.</summary>
    public static CycleCalibrator ForClock(ICycleTimeSource source, string unavailableReason) =>
        new(source, ClockEra(source, long.MinValue, span: ulong.MaxValue), isCounter: false) { _unavailableReason = unavailableReason };

    /// <summary>Returns a timestamp of the current source. <see cref="CycleClock.GetTimestamp"/> returns it with less overhead.</summary>
    public long GetTimestamp() => _isCounter ? _source.ReadCounter() : _source.ReadClock() + _clockMark;

    /// <summary>See <see cref="CycleClock.TryGetElapsedPicoseconds(long, long, out ulong)"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryGetElapsedPicoseconds(long start, long end, out ulong picoseconds)
    {
        if (_era.TryConvertFast(start, end, out picoseconds))
        {
            return true;
        }

        // Return the result in registers: passed by reference, it would be in memory on the fast path too.
        (bool isMeasured, picoseconds) = GetElapsedSlowly(start, end);
        return isMeasured;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private (bool IsMeasured, ulong Picoseconds) GetElapsedSlowly(long start, long end)
    {
        // If another thread is making the check, continue with the current ratio.
        if (_isCounter && _gate.TryEnter())
        {
            try
            {
                CheckIfDue(isForced: end - start < 0);
            }
            finally
            {
                _gate.Exit();
            }
        }

        bool isMeasured = Volatile.Read(ref _era).TryConvert(start, end, out ulong picoseconds);
        return (isMeasured, picoseconds);
    }
}

/// <summary>The two time sources that calibration compares. Tests replace them.</summary>
internal interface ICycleTimeSource
{
    /// <summary>The ticks of <see cref="ReadClock"/> per second.</summary>
    long ClockFrequency => Stopwatch.Frequency;

    /// <summary>Reads the CPU's counter.</summary>
    long ReadCounter();

    /// <summary>Reads the monotonic clock.</summary>
    long ReadClock() => Stopwatch.GetTimestamp();
}

/// <summary>The CPU's own counter and <see cref="Stopwatch"/>.</summary>
internal sealed unsafe class SystemTimeSource(delegate* unmanaged[SuppressGCTransition]<ulong> readCounter) : ICycleTimeSource
{
    /// <summary>Reads the CPU's counter. Not called if there is no counter.</summary>
    public long ReadCounter() => (long)readCounter();
}
