namespace Picollo.Export;

/// <summary>What exporters of all formats read from a registration.</summary>
internal static class RegisteredHistogram
{
    extension(HdrHistogramRegistration registration)
    {
        /// <summary>The largest value below the range, in the unit that is shown; 0 if there is none.</summary>
        public double ZeroThreshold =>
            (Math.Max(RangeOf(registration.Histogram).Start, 1) - 1) / registration.Description.Unit.Ratio;

        /// <summary>Takes a copy of the counters.</summary>
        /// <returns>False if the histogram is disposed.</returns>
        public bool TryRead(out CountsCopy copy) => registration.TryRead(out copy, out _);

        /// <summary>Takes a copy of the counters, with the number of resets before it.</summary>
        /// <inheritdoc cref="TryRead(HdrHistogramRegistration, out CountsCopy)" path="/returns"/>
        public bool TryRead(out CountsCopy copy, out int resetCount)
        {
            try
            {
                copy = registration.Histogram.ReadUsed(out resetCount);
                return true;
            }
            catch (ObjectDisposedException)
            {
                (copy, resetCount) = (default, 0);
                return false;
            }
        }

        /// <summary>The sum of all values, in the unit that is shown.</summary>
        public double SumOf(CountsCopy copy)
        {
            (ulong start, ulong end) = RangeOf(registration.Histogram);
            double sum = registration.ExactSum is { } exact
                ? exact()
                : registration.Histogram.SumOf(copy) + ((double)copy.Underflow * start) + ((double)copy.Overflow * end);
            return sum / registration.Description.Unit.Ratio;
        }
    }

    /// <summary>The smallest and the largest value that a histogram has a counter for.</summary>
    public static (ulong Start, ulong End) RangeOf(ReadOnlyHdrHistogram histogram)
    {
        HdrLayout layout = histogram.Layout;
        ulong last = layout.StartOf(histogram.FirstIndex + (uint)histogram.Length - 1);
        return (layout.StartOf(histogram.FirstIndex), layout.UpperBoundOf(last));
    }
}
