namespace Picollo.Metrics;

/// <content>Iteration in steps, with the borders of the HdrHistogram family's iterators.</content>
public abstract partial class ReadOnlyHdrHistogram
{
    /// <summary>Counts in steps of equal width, up to the last value: 0 to <paramref name="step"/> − 1, and so on.</summary>
    /// <param name="step">The width of a step, in the values' unit; 1 or more.</param>
    /// <returns>The largest value of each step, and how many values it has: a bucket counts as a whole in the first step that it
    /// reaches into. The counts add up to <see cref="TotalCount"/>. Computed as it is enumerated; there are as many steps as the largest
    /// value has room for.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="step"/> is 0.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public IEnumerable<(ulong UpperBound, ulong Count)> GetLinearBuckets(ulong step)
    {
        ArgumentOutOfRangeException.ThrowIfZero(step);
        return EnumerateSteps(Ends(), isLogarithmic: false);

        IEnumerable<ulong> Ends()
        {
            ulong end = 0;
            while ((end += step) >= step)
            {
                yield return end;
            }

            yield return 0;
        }
    }

    /// <summary>Counts in steps that grow: 0 to <paramref name="first"/> − 1, up to <paramref name="first"/> · <paramref name="base"/> − 1,
    /// and so on, up to the last value.</summary>
    /// <param name="first">The width of the first step, in the values' unit; 1 or more.</param>
    /// <param name="base">What each end is times the one before; above 1 and finite.</param>
    /// <returns>As <see cref="GetLinearBuckets"/>; ends are rounded down to whole numbers.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An argument is outside its range.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public IEnumerable<(ulong UpperBound, ulong Count)> GetLogarithmicBuckets(ulong first, double @base)
    {
        ArgumentOutOfRangeException.ThrowIfZero(first);
        if (!(@base > 1 && double.IsFinite(@base)))
        {
            throw new ArgumentOutOfRangeException(nameof(@base), @base, "The base must be above 1 and finite.");
        }

        return EnumerateSteps(Ends(), isLogarithmic: true);

        IEnumerable<ulong> Ends()
        {
            const double TwoToThe64 = 18_446_744_073_709_551_616d;
            for (double end = first; end < TwoToThe64; end = Math.Max(end * @base, Math.BitIncrement(end)))
            {
                yield return (ulong)end;
            }

            yield return 0;
        }
    }

    /// <summary>The percentiles at ranks that lie closer together the nearer they are to 100: so many to half of the distance that is
    /// left, as a percentile distribution has them.</summary>
    /// <param name="ticksPerHalfDistance">The steps from a rank to halfway between it and 100; 1 or more.</param>
    /// <returns>The percentiles, each with the count up to its bucket's end (<see cref="Percentile.RunningCount"/>), the last at rank 100;
    /// none of an empty histogram. Computed as it is enumerated.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="ticksPerHalfDistance"/> is below 1.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public IEnumerable<Percentile> GetPercentileSteps(int ticksPerHalfDistance)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(ticksPerHalfDistance, 1);
        return EnumeratePercentileSteps(ticksPerHalfDistance);
    }

    /// <param name="ends">The first value after each step; 0 for 2⁶⁴, the last.</param>
    /// <param name="isLogarithmic">Which of the family's iterators tells where to stop; the two differ in the last bucket.</param>
    private IEnumerable<(ulong UpperBound, ulong Count)> EnumerateSteps(IEnumerable<ulong> ends, bool isLogarithmic)
    {
        using CountsCopy copy = Read();
        ulong rest = CounterMath.Sum(copy.Counts);
        int counted = 0;
        ulong reached = LowestDiscernibleValue - 1; // the last value of the bucket that the steps have come to
        foreach (ulong end in ends)
        {
            ulong upperBound = end - 1; // of 0 it wraps, to the largest value
            if (rest == 0 && (isLogarithmic && end != 0 ? Layout.StartOf(Layout.IndexOf(end)) : upperBound) > reached)
            {
                yield break;
            }

            int to = Math.Max(counted, EndOf(upperBound));
            ulong count = CounterMath.Sum(copy.Counts[counted..to]);
            yield return (upperBound, count);
            rest -= count;
            counted = to;
            reached = Math.Max(reached, Layout.UpperBoundOf(upperBound));
        }
    }

    private IEnumerable<Percentile> EnumeratePercentileSteps(int ticksPerHalfDistance)
    {
        EquivalentValueSelection selection = Percentile.DefaultEquivalentValueSelection;
        using CountsCopy copy = Read();
        ulong total = CounterMath.Sum(copy.Counts);
        int last = copy.Counts.LastIndexOfAnyExcept(0UL);
        ulong running = 0;
        double rank = 0;
        for (int i = 0; i <= last; i++)
        {
            ulong count = copy.Counts[i];
            running += count;
            while (count != 0 && rank < PercentileRank.Max && PercentileRank.Max * running / (double)total >= rank)
            {
                yield return At(rank);
                if (i == last)
                {
                    break;
                }

                // The ticks are as many to the whole range as make the wanted number to half of the distance that is left.
                double halvings = Math.Floor(Math.Log(PercentileRank.Max / (PercentileRank.Max - rank)) / Math.Log(2)) + 1;
                double next = rank + (PercentileRank.Max / (ticksPerHalfDistance * Math.Pow(2, halvings)));
                rank = next > rank ? next : PercentileRank.Max; // past the precision of a double it would stay where it is
            }

            if (i == last)
            {
                yield return At(PercentileRank.Max);
            }

            Percentile At(double level) =>
                new(level, PercentileRank.ToCount(level, total), running, BucketAt(i, count), selection);
        }
    }
}
