namespace Picollo.Export;

/// <summary>Reads the data that all export formats need from a registration.</summary>
internal static class RegisteredHistogram
{
    extension(HdrHistogramRegistration registration)
    {
        /// <summary>The largest value below the range, in the display unit; 0 if there is none.</summary>
        public double ZeroThreshold =>
            (Math.Max(RangeOf(registration.Histogram).Start, 1) - 1) / registration.Description.Unit.Ratio;

        /// <summary>Copies the counters; returns <see langword="false"/> if the histogram is disposed.</summary>
        public bool TryRead(out CountsCopy copy) => registration.TryRead(out copy, out _);

        /// <summary>Copies the counters, and returns the number of resets before the copy.</summary>
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

        /// <summary>Returns the sum of all values, in the display unit.</summary>
        public double SumOf(CountsCopy copy)
        {
            (ulong start, ulong end) = RangeOf(registration.Histogram);
            double sum = registration.ExactSum is { } exact
                ? exact()
                : registration.Histogram.SumOf(copy) + ((double)copy.Underflow * start) + ((double)copy.Overflow * end);
            return sum / registration.Description.Unit.Ratio;
        }
    }

    /// <summary>Returns the smallest and the largest value for which a histogram has a counter.</summary>
    public static (ulong Start, ulong End) RangeOf(ReadOnlyHdrHistogram histogram)
    {
        HdrLayout layout = histogram.Layout;
        ulong last = layout.StartOf(histogram.FirstIndex + (uint)histogram.Length - 1);
        return (layout.StartOf(histogram.FirstIndex), layout.UpperBoundOf(last));
    }
}
