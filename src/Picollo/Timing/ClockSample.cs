namespace Picollo.Timing;

/// <summary>One simultaneous reading of counter and clock, and how far from simultaneous it may be.</summary>
/// <param name="Counter">The counter, in the middle of the bracket.</param>
/// <param name="Clock">The clock.</param>
/// <param name="Uncertainty">How many ticks <paramref name="Counter"/> may be off, either way.</param>
/// <remarks>The clock is read until it shows a new value between two counter readings: at some moment between them the clock came to that
/// very value. So a clock of coarse ticks (100 ns on Windows) is caught at the edge and its resolution costs nothing. A thread that is
/// interrupted in the middle only gets a wider bracket, and the narrowest of several is taken.</remarks>
internal readonly record struct ClockSample(long Counter, long Clock, long Uncertainty)
{
    /// <summary>The uncertainty of a sample that tells nothing: the counter stepped back or the clock stood still.</summary>
    public const long Useless = long.MaxValue;

    /// <summary>The best of <see cref="CycleClockPolicy.SampleTries"/>; about a microsecond.</summary>
    public static ClockSample Take(ICycleTimeSource source)
    {
        ClockSample best = TakeOnce(source);
        for (int i = 1; i < CycleClockPolicy.SampleTries; i++)
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

        return new ClockSample(before, shown, Useless);
    }

    private static ClockSample FromBracket(long before, long after, long clock)
    {
        // By subtraction, so that a counter may wrap. One tick more for the counter's own resolution.
        long width = after - before;
        return width < 0 ? new ClockSample(after, clock, Useless) : new ClockSample(before + width / 2, clock, width / 2 + 1);
    }
}
