using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Picollo.Timing;

/// <summary>What the timestamps of an era are taken from.</summary>
internal enum TimestampSource
{
    /// <summary>The CPU's counter.</summary>
    Counter,

    /// <summary>The monotonic clock.</summary>
    Clock,

    /// <summary>None yet: the counter is being calibrated anew, and until then nothing can be measured.</summary>
    None,
}

/// <summary>A stretch of time in which one source ticked evenly, so that its timestamps may be subtracted from each other. A suspend, a
/// migration, or the counter's replacement by the clock ends it and begins another; an interval across two is discarded.</summary>
/// <remarks>Read by any thread without a lock. Within an era the ratio is refined in place and the next check moved on: each is one 64-bit
/// word, written whole, and every mixture of old and new ones is right to the old one's error. A fresh object each time would do as well,
/// and would allocate in the middle of somebody's measurement.</remarks>
internal sealed class TimestampEra(TimestampSource source, long validFrom, ulong multiplier, ulong span)
{
    private ulong _multiplier = multiplier;
    private ulong _span = span;

    public TimestampSource Source { get; } = source;

    /// <summary>The earliest timestamp of the era.</summary>
    public long ValidFrom { get; } = validFrom;

    /// <summary>Picoseconds per tick, as <see cref="TickRatio"/> has it; not 0.</summary>
    public ulong Multiplier => Volatile.Read(ref _multiplier);

    /// <summary>The timestamp from which on counter and clock should be compared again.</summary>
    public long RecheckAt => ValidFrom + (long)Volatile.Read(ref _span);

    /// <summary>Readers see the new ratio from now on, and call for a check from <paramref name="recheckAt"/> on.</summary>
    public void Refine(ulong multiplier, long recheckAt)
    {
        Debug.Assert(recheckAt - ValidFrom >= 0, "A check is never due before the era begins.");
        Volatile.Write(ref _multiplier, multiplier);
        Volatile.Write(ref _span, (ulong)(recheckAt - ValidFrom));
    }

    /// <summary>The interval, if it lies within the era, is not negative, and no check is due; this is what nearly every call comes
    /// to.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryConvertFast(long start, long end, out ulong picoseconds)
    {
        // Counted from ValidFrom without a sign, what lies before the era is beyond any span. So the two comparisons say
        // ValidFrom <= start <= end < RecheckAt.
        ulong from = (ulong)(start - ValidFrom);
        ulong until = (ulong)(end - ValidFrom);
        if (from <= until && until < _span)
        {
            picoseconds = TickRatio.ToPicoseconds((ulong)(end - start), _multiplier);
            return true;
        }

        picoseconds = 0;
        return false;
    }

    /// <summary>The interval, whether a check is due or not: 0 for a negative one, false for one that began elsewhere.</summary>
    public bool TryConvert(long start, long end, out ulong picoseconds)
    {
        bool isWithin = Contains(start) && Contains(end);
        picoseconds = isWithin && end > start ? TickRatio.ToPicoseconds((ulong)(end - start), Multiplier) : 0;
        return isWithin;
    }

    private bool Contains(long timestamp) => Source switch
    {
        // A counter's timestamps are far below the clock's, which carry a mark.
        TimestampSource.Counter => timestamp >= ValidFrom && timestamp < CycleCalibrator.ClockMark,
        TimestampSource.Clock => timestamp >= ValidFrom,
        _ => false,
    };
}
