namespace Picollo.Timing;

/// <summary>A nearly simultaneous reading of the counter and the clock, with its uncertainty.</summary>
/// <param name="Counter">The counter, in the middle of the bracket.</param>
/// <param name="Clock">The clock.</param>
/// <param name="Uncertainty">The largest error of <paramref name="Counter"/>, in ticks, in either direction.</param>
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
