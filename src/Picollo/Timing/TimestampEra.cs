namespace Picollo.Timing;

internal enum TimestampSource
{
    /// <summary>The CPU's counter.</summary>
    Counter,

    /// <summary>The monotonic clock.</summary>
    Clock,

    /// <summary>No source: the counter is being calibrated, and no interval can be measured.</summary>
    None,
}

/// <summary>A period in which one source ticks evenly, so that its timestamps can be subtracted from each other. A suspend, a migration, or
/// the replacement of the counter by the clock ends an era and starts another. An interval that spans two eras is discarded.</summary>
/// <remarks>Any thread reads it without a lock. Within an era, the ratio and the time of the next check are updated in place. Each is one
/// 64-bit word that is written atomically, and every mixture of old and new values has at most the error of the old ratio. Creating a new
/// object for each update would allocate memory while the application measures.</remarks>
internal sealed class TimestampEra(TimestampSource source, long validFrom, ulong multiplier, ulong span)
{
    private ulong _multiplier = multiplier;
    private ulong _span = span;

    public TimestampSource Source { get; } = source;

    /// <summary>The earliest timestamp of the era.</summary>
    public long ValidFrom { get; } = validFrom;

    /// <summary>The picoseconds per tick, in the format of <see cref="TickRatio"/>; not 0.</summary>
    public ulong Multiplier => Volatile.Read(ref _multiplier);

    /// <summary>The timestamp from which the counter and the clock should be compared again.</summary>
    public long RecheckAt => ValidFrom + (long)Volatile.Read(ref _span);

    /// <summary>Sets the ratio that readers use from now on and the time of the next check.</summary>
    public void Refine(ulong multiplier, long recheckAt)
    {
        Debug.Assert(recheckAt - ValidFrom >= 0, "A check is never due before the era starts.");
        Volatile.Write(ref _multiplier, multiplier);
        Volatile.Write(ref _span, (ulong)(recheckAt - ValidFrom));
    }

    /// <summary>Converts the interval if it is within the era and not negative, and no check is due. This is the case for nearly every
    /// call.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public bool TryConvertFast(long start, long end, out ulong picoseconds)
    {
        // As an unsigned offset from ValidFrom, a timestamp before the era is beyond any span. The two comparisons therefore mean ValidFrom
        // <= start <= end < RecheckAt.
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

    /// <summary>Converts the interval, whether a check is due or not: 0 for a negative interval, false for one that is not within the
    /// era.</summary>
    public bool TryConvert(long start, long end, out ulong picoseconds)
    {
        bool isWithin = Contains(start) && Contains(end);
        picoseconds = isWithin && end > start ? TickRatio.ToPicoseconds((ulong)(end - start), Multiplier) : 0;
        return isWithin;
    }

    private bool Contains(long timestamp) => Source switch
    {
        // Timestamps of the counter are far below those of the clock, which have the mark.
        TimestampSource.Counter => timestamp >= ValidFrom && timestamp < CycleCalibrator.ClockMark,
        TimestampSource.Clock => timestamp >= ValidFrom,
        _ => false,
    };
}
