using System.Runtime.CompilerServices;
using Picollo.Interop.Native;

namespace Picollo.Timing;

/// <summary>Finds out how long a tick of the CPU's counter is, keeps finding it out better, and notices when the counter is not to be
/// trusted.</summary>
/// <remarks>
/// <para>There is no thread or timer: whoever measures an interval compares its end with the time of the next check, and makes the check if
/// it is due. It lengthens the baseline, so the ratio's error falls from the start's some tens of ppm to the order of a millionth within a
/// second of use.</para>
/// <para>Where counter and clock disagree the counter jumped, stepped back or changed its rate: a suspend, a virtual machine's migration,
/// CPUs whose counters are not synchronised. The era ends there: intervals that reach across are discarded, and the thread that noticed
/// calibrates anew (2 ms), while others discard theirs. If that happens time and again, the clock takes the counter's place for good. A
/// timestamp shows its source by <see cref="ClockMark"/>, so that an interval from one to the other is recognised and discarded too.</para>
/// <para>What cannot be seen: a jump below the bound (1 ms at the longest distance of checks) that leaves no interval negative. Rejected: a
/// background timer (keeps a CPU awake, and is late where it matters), reading the CPU's number with each timestamp (costs as much
/// again).</para>
/// </remarks>
internal sealed partial class CycleCalibrator
{
    /// <summary>Added to the clock's timestamps where they took the counter's place. Counters and clocks start at the machine's start and
    /// reach a quarter of 2⁶³ in decades, at 5 GHz in 14 years; a counter that is set higher is not used.</summary>
    public const long ClockMark = 1L << 62;

    private static readonly TimestampEra NoEra = new(TimestampSource.None, validFrom: 0, multiplier: 1, span: 0);

    private readonly ICycleTimeSource _source;
    private readonly Lock _gate = new();

    private TimestampEra _era; // replaced under _gate, read by anyone
    private long _clockMark; // 0, or ClockMark once the counter was given up; set before _isCounter is cleared
    private volatile bool _isCounter; // false once and for all when the counter was given up
    private volatile string? _unavailableReason; // set before _isCounter is cleared

    private CycleCalibrator(ICycleTimeSource source, TimestampEra era, bool isCounter) =>
        (_source, _era, _isCounter) = (source, era, isCounter);

    /// <summary>True while timestamps come from the counter.</summary>
    public bool IsCounter
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _isCounter;
    }

    /// <summary>Why <see cref="IsCounter"/> is false and what can be done about it; null while it is true.</summary>
    public string? UnavailableReason => _unavailableReason;

    /// <summary>Picoseconds per tick of the present source, as <see cref="TickRatio"/> has it.</summary>
    public ulong Multiplier => Volatile.Read(ref _era).Multiplier;

    /// <summary>Calibrates the counter (some milliseconds); falls back to the clock, with the reason, where that fails.</summary>
    public static CycleCalibrator ForCounter(ICycleTimeSource source)
    {
        var calibrator = new CycleCalibrator(source, NoEra, isCounter: true);
        lock (calibrator._gate)
        {
            if (!calibrator.TryBeginEra(out string? reason))
            {
                return ForClock(source, NotReliable(reason));
            }
        }

        return calibrator;
    }

    private static string NotReliable(string reason) =>
        $"This CPU's counter is not reliable: {reason}. {NativeShim.Instead} On a virtual machine, look to the time-stamp "
        + "counter's settings of the hypervisor; on Linux, see /sys/devices/system/clocksource/clocksource0/current_clocksource for what "
        + "the kernel trusts.";

    /// <summary>No counter: the clock's own ticks, without a mark.</summary>
    public static CycleCalibrator ForClock(ICycleTimeSource source, string unavailableReason) =>
        new(source, ClockEra(source, long.MinValue, span: ulong.MaxValue), isCounter: false) { _unavailableReason = unavailableReason };

    /// <summary>The present source's timestamp. <see cref="CycleClock.GetTimestamp"/> does the same with less in between.</summary>
    public long GetTimestamp() => _isCounter ? _source.ReadCounter() : _source.ReadClock() + _clockMark;

    /// <summary>See <see cref="CycleClock.TryGetElapsedPicoseconds(long, long, out ulong)"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryGetElapsedPicoseconds(long start, long end, out ulong picoseconds)
    {
        if (_era.TryConvertFast(start, end, out picoseconds))
        {
            return true;
        }

        // In registers: passed by reference, the result would live in memory on the fast path too.
        (bool isMeasured, picoseconds) = GetElapsedSlowly(start, end);
        return isMeasured;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private (bool IsMeasured, ulong Picoseconds) GetElapsedSlowly(long start, long end)
    {
        // Whoever comes while another thread checks goes on with the ratio there is.
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
