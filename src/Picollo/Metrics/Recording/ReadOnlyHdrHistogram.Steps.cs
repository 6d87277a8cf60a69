namespace Picollo.Metrics;

/// <content>Iteration in steps, with the same limits as the iterators of other HdrHistogram libraries.</content>
public abstract partial class ReadOnlyHdrHistogram
{
    /// <summary>Returns the counts in steps of equal width, up to the largest recorded value: 0 to <paramref name="step"/> − 1, and so
    /// on.</summary>
    /// <param name="step">The width of a step, in the unit of the values; 1 or more.</param>
    /// <returns>The largest value of each step and the count of its values. A bucket that spans several steps is counted entirely in the
    /// first of them. The sum of the counts is <see cref="TotalCount"/>. The steps are computed during the enumeration. If
    /// <paramref name="step"/> is small, there can be a very large number of them.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="step"/> is 0.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public IEnumerable<HdrHistogramBin> GetLinearBins(ulong step)
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

    /// <summary>Returns the counts in steps of growing width, up to the largest recorded value: 0 to <paramref name="first"/> − 1, then up
    /// to <paramref name="first"/> · <paramref name="factor"/> − 1, and so on.</summary>
    /// <param name="first">The width of the first step, in the unit of the values; 1 or more.</param>
    /// <param name="factor">The factor between the ends of consecutive steps; above 1 and finite.</param>
    /// <returns>The steps, as for <see cref="GetLinearBins"/>. Their ends are rounded down to whole numbers.</returns>
    /// <exception cref="ArgumentOutOfRangeException">An argument is outside its range.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public IEnumerable<HdrHistogramBin> GetLogarithmicBins(ulong first, double factor)
    {
        ArgumentOutOfRangeException.ThrowIfZero(first);
        if (!(factor > 1 && double.IsFinite(factor)))
        {
            throw new ArgumentOutOfRangeException(nameof(factor), factor, "The factor must be above 1 and finite.");
        }

        return EnumerateSteps(Ends(), isLogarithmic: true);

        IEnumerable<ulong> Ends()
        {
            const double TwoToThe64 = 18_446_744_073_709_551_616d;
            for (double end = first; end < TwoToThe64; end = Math.Max(end * factor, Math.BitIncrement(end)))
            {
                yield return (ulong)end;
            }

            yield return 0;
        }
    }

    /// <summary>Returns the percentiles of a percentile distribution. The ranks get closer to each other towards 100: each halving of the
    /// remaining distance to 100 has the same number of steps.</summary>
    /// <param name="ticksPerHalfDistance">The number of steps from a rank to halfway between it and 100; 1 or more.</param>
    /// <returns>The percentiles, each with the count up to the end of its bucket (<see cref="Percentile.RunningCount"/>). The last one has
    /// rank 100. Empty for an empty histogram. The percentiles are computed during the enumeration.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="ticksPerHalfDistance"/> is below 1.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public IEnumerable<Percentile> GetPercentileSteps(int ticksPerHalfDistance)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(ticksPerHalfDistance, 1);
        return EnumeratePercentileSteps(ticksPerHalfDistance);
    }

    /// <param name="ends">The first value after each step. The last one is 2⁶⁴, represented by 0.</param>
    /// <param name="isLogarithmic">Whether to end as the logarithmic iterator of other HdrHistogram libraries does, not as their linear
    /// one. The two differ in the last bucket.</param>
    private IEnumerable<HdrHistogramBin> EnumerateSteps(IEnumerable<ulong> ends, bool isLogarithmic)
    {
        using CountsCopy copy = Read();
        ulong rest = CounterMath.Sum(copy.Counts);
        int counted = 0;
        ulong reached = LowestDiscernibleValue - 1; // the last value of the bucket that the steps have reached
        foreach (ulong end in ends)
        {
            ulong upperBound = end - 1; // 0 wraps to the largest value
            if (rest == 0 && (isLogarithmic && end != 0 ? Layout.StartOf(Layout.IndexOf(end)) : upperBound) > reached)
            {
                yield break;
            }

            int to = Math.Max(counted, EndOf(upperBound));
            ulong count = CounterMath.Sum(copy.Counts[counted..to]);
            yield return new(upperBound, count);
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

                // The number of steps for the whole range doubles with each halving of the distance to 100, so that each half has the same
                // number of steps.
                double halvings = Math.Floor(Math.Log(PercentileRank.Max / (PercentileRank.Max - rank)) / Math.Log(2)) + 1;
                double next = rank + (PercentileRank.Max / (ticksPerHalfDistance * Math.Pow(2, halvings)));
                rank = next > rank ? next : PercentileRank.Max; // beyond the precision of a double, the rank would not change
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
