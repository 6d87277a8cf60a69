namespace Picollo.Timing;

/// <content>Calibration and checks. All of this code runs rarely and with the gate held.</content>
internal sealed partial class CycleCalibrator
{
    private const long MaxCounter = ClockMark / 2;

    private ClockSample _eraStart;
    private ClockSample _baselineStart;
    private ClockSample _nextBaselineStart;
    private ClockSample _last;
    private long _errorPpb;
    private int _disagreements;

    /// <summary>The largest relative error of the ratio, in parts per billion.</summary>
    public long ErrorPpb => Volatile.Read(ref _errorPpb);

    private static TimestampEra ClockEra(ICycleTimeSource source, long validFrom, ulong span)
    {
        ulong multiplier = TickRatio.FromElapsed(source.ClockFrequency, source.ClockFrequency, source.ClockFrequency);
        Debug.Assert(multiplier != 0, "A monotonic clock of 60 kHz or more has a ratio.");
        return new TimestampEra(TimestampSource.Clock, validFrom, multiplier, span);
    }

    private void CheckIfDue(bool isForced)
    {
        // Another thread may have made the check in the meantime, and a caller may pass any timestamp.
        TimestampEra era = _era;
        long now = _source.ReadCounter();
        bool isDue = now - era.RecheckAt >= 0;
        bool isWanted = isDue
            || now - _last.Counter < 0
            || (isForced && _source.ReadClock() - _last.Clock >= ClockTicks(CycleClockPolicy.ForcedCheckSpacingMicroseconds));
        if (era.Source != TimestampSource.Counter || !isWanted)
        {
            return;
        }

        ClockSample sample = ClockSample.Take(_source);
        if (Agrees(sample, era.Multiplier))
        {
            Refine(sample, era, isDue);
        }
        else
        {
            Recalibrate(sample, era);
        }
    }

    private bool Agrees(ClockSample sample, ulong multiplier)
    {
        if (sample.Uncertainty == ClockSample.Unusable)
        {
            return false;
        }

        Int128 counted = TickRatio.ToSignedPicoseconds(sample.Counter - _last.Counter, multiplier);
        Int128 passed = ClockPicoseconds(sample.Clock - _last.Clock);
        Int128 bound = passed * CycleClockPolicy.DisagreementBoundPpm / 1_000_000
            + TickRatio.ToSignedPicoseconds(sample.Uncertainty + _last.Uncertainty, multiplier)
            + ClockPicoseconds(1);
        return Int128.Abs(counted - passed) <= bound;
    }

    private void Refine(ClockSample sample, TimestampEra era, bool isDue)
    {
        ulong multiplier = era.Multiplier;
        long errorPpb = ErrorOf(_baselineStart, sample);
        if (errorPpb <= Math.Max(_errorPpb, CycleClockPolicy.SteadyErrorBoundPpb)
            && RatioOf(_baselineStart, sample) is var refined and not 0)
        {
            multiplier = refined;
            _errorPpb = errorPpb;
        }

        _last = sample;

        // Forced checks happen on CPUs whose counter is behind. If they postponed the regular check, a CPU whose counter is ahead might
        // never be checked.
        era.Refine(multiplier, isDue ? NextCheck(multiplier) : era.RecheckAt);
        if (sample.Clock - _nextBaselineStart.Clock >= ClockTicks(CycleClockPolicy.BaselineLimitMicroseconds / 2))
        {
            _baselineStart = _nextBaselineStart;
            _nextBaselineStart = sample;
        }
    }

    private void Recalibrate(ClockSample sample, TimestampEra era)
    {
        if (sample.Clock - _eraStart.Clock >= ClockTicks(CycleClockPolicy.TrustedAfterMicroseconds))
        {
            _disagreements = 0;
        }

        // Until the new era starts, no interval can be measured. The ratio remains available for conversions.
        Volatile.Write(ref _era, new TimestampEra(TimestampSource.None, era.ValidFrom, era.Multiplier, span: 0));
        string? reason = "it jumped, stepped back or changed its rate against the monotonic clock";
        do
        {
            if (++_disagreements >= CycleClockPolicy.DisagreementLimit)
            {
                ReplaceCounter(reason);
                return;
            }
        }
        while (!TryStartEra(out reason));
    }

    private bool TryStartEra([NotNullWhen(false)] out string? reason)
    {
        ClockSample first = ClockSample.Take(_source);
        if (first.Uncertainty != ClockSample.Unusable && first.Counter is < 0 or > MaxCounter)
        {
            reason = "its value is outside the range of timestamps (a hypervisor may have set it)";
            return false;
        }

        int microseconds = CycleClockPolicy.StartBaselineMicroseconds;
        while (true)
        {
            if (first.Uncertainty == ClockSample.Unusable || !TryWaitUntil(first.Clock + ClockTicks(microseconds)))
            {
                reason = "it stepped back, or the monotonic clock did not advance, during calibration";
                return false;
            }

            ClockSample second = ClockSample.Take(_source);
            if (ErrorOf(first, second) <= CycleClockPolicy.StartErrorBoundPpm * 1_000L)
            {
                return TryStartEra(first, second, out reason);
            }

            if (microseconds >= CycleClockPolicy.StartBaselineLimitMicroseconds)
            {
                reason = string.Create(
                    CultureInfo.InvariantCulture,
                    $"it could not be calibrated to {CycleClockPolicy.StartErrorBoundPpm} ppm within {microseconds} µs");
                return false;
            }

            microseconds *= 2;
        }
    }

    private bool TryStartEra(ClockSample first, ClockSample second, [NotNullWhen(false)] out string? reason)
    {
        ulong multiplier = RatioOf(first, second);
        if (multiplier == 0
            || TickRatio.ToFrequency(multiplier) is < CycleClockPolicy.MinFrequency or > CycleClockPolicy.MaxFrequency)
        {
            reason = "its rate is not between 1 MHz and 100 GHz";
            return false;
        }

        reason = null;
        _eraStart = _baselineStart = _nextBaselineStart = first;
        _last = second;
        _errorPpb = ErrorOf(first, second);
        ulong span = (ulong)(NextCheck(multiplier) - second.Counter);
        Volatile.Write(ref _era, new TimestampEra(TimestampSource.Counter, second.Counter, multiplier, span));
        return true;
    }

    /// <summary>Replaces the counter with the clock. A thread that sees a timestamp with the mark also sees its era.</summary>
    private void ReplaceCounter(string reason)
    {
        _unavailableReason = NotReliable(reason);
        _errorPpb = 0;
        _clockMark = ClockMark;
        Volatile.Write(ref _era, ClockEra(_source, _source.ReadClock() + ClockMark, span: ClockMark));
        _isCounter = false;
    }

    /// <summary>Waits until the clock reaches a value. It spins because the duration of a sleep is unknown on some systems. The wait takes
    /// 2 ms and happens once.</summary>
    private bool TryWaitUntil(long clock)
    {
        long now = _source.ReadClock();
        for (int stuck = 0; now < clock && stuck < CycleClockPolicy.StuckClockReads; stuck++)
        {
            long next = _source.ReadClock();
            stuck = next == now ? stuck : 0;
            now = next;
        }

        return now >= clock;
    }

    private long NextCheck(ulong multiplier)
    {
        long baseline = _last.Clock - _baselineStart.Clock;
        long wait = Math.Clamp(
            baseline * (CycleClockPolicy.RecheckGrowth - 1),
            ClockTicks(CycleClockPolicy.StartBaselineMicroseconds),
            ClockTicks(CycleClockPolicy.RecheckIntervalLimitMicroseconds));
        return _last.Counter + (long)TickRatio.ToTicks((ulong)ClockPicoseconds(wait), multiplier);
    }

    private ulong RatioOf(ClockSample from, ClockSample to) =>
        TickRatio.FromElapsed(to.Counter - from.Counter, to.Clock - from.Clock, _source.ClockFrequency);

    /// <summary>Returns the uncertainty of both samples relative to the time between them, in parts per billion. An unusable sample gives
    /// the largest value.</summary>
    private static long ErrorOf(ClockSample from, ClockSample to)
    {
        long ticks = to.Counter - from.Counter;
        if (ticks <= 0)
        {
            return long.MaxValue;
        }

        Int128 error = ((Int128)from.Uncertainty + to.Uncertainty) * 1_000_000_000 / ticks;
        return error <= long.MaxValue ? (long)error : long.MaxValue;
    }

    private long ClockTicks(int microseconds) => (long)((Int128)microseconds * _source.ClockFrequency / 1_000_000);

    private Int128 ClockPicoseconds(long clockTicks) => (Int128)clockTicks * TickRatio.PicosecondsPerSecond / _source.ClockFrequency;
}

/// <summary>A nearly simultaneous reading of the counter, in the middle of the bracket, and the clock. The uncertainty is the largest error
/// of the counter, in ticks, in either direction.</summary>
/// <remarks>The clock is read until its value changes between two readings of the counter. The change happened between these readings. This
/// finds the edge of a coarse clock tick (100 ns on Windows), so the resolution of the clock does not add to the uncertainty. An
/// interruption of the thread only widens the bracket, and the narrowest of several brackets is used.</remarks>
internal readonly record struct ClockSample(long Counter, long Clock, long Uncertainty)
{
    /// <summary>The uncertainty of an unusable sample: the counter stepped back or the clock did not advance.</summary>
    public const long Unusable = long.MaxValue;

    /// <summary>Takes the best of <see cref="CycleClockPolicy.SampleAttempts"/> samples, in about a microsecond.</summary>
    public static ClockSample Take(ICycleTimeSource source)
    {
        ClockSample best = TakeOnce(source);
        for (int i = 1; i < CycleClockPolicy.SampleAttempts; i++)
        {
            ClockSample next = TakeOnce(source);
            if (next.Uncertainty < best.Uncertainty)
            {
                best = next;
            }
        }

        return best;
    }

    private static ClockSample TakeOnce(ICycleTimeSource source)
    {
        long before = source.ReadCounter();
        long shown = source.ReadClock();
        for (int reads = 0; reads < CycleClockPolicy.StuckClockReads; reads++)
        {
            long stillShown = source.ReadCounter();
            long clock = source.ReadClock();
            if (clock != shown)
            {
                return FromBracket(before, source.ReadCounter(), clock);
            }

            before = stillShown;
        }

        return new ClockSample(before, shown, Unusable);
    }

    private static ClockSample FromBracket(long before, long after, long clock)
    {
        // Subtract, so that the counter may wrap. Add one tick for the counter's own resolution.
        long width = after - before;
        return width < 0 ? new ClockSample(after, clock, Unusable) : new ClockSample(before + width / 2, clock, width / 2 + 1);
    }
}
