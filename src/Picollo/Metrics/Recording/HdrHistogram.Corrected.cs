namespace Picollo.Metrics;

/// <content>Recording with a narrower range, and with a correction for coordinated omission.</content>
public abstract partial class HdrHistogram
{
    /// <summary>Counts a value within a range that is narrower than the histogram's.</summary>
    /// <param name="value">The value. If it is outside either range, it is counted in
    /// <see cref="ReadOnlyHdrHistogram.OverflowCount"/>.</param>
    /// <param name="min">The smallest value in range; <see cref="ReadOnlyHdrHistogram.MinTrackableValue"/> applies if it is larger.</param>
    /// <param name="max">The largest value in range; <see cref="ReadOnlyHdrHistogram.MaxTrackableValue"/> applies if it is smaller. If
    /// it is below <paramref name="min"/>, every value is out of range.</param>
    /// <param name="throwOnOutOfRange">Whether to throw after a value out of range was counted.</param>
    /// <remarks>Unlike the limits of the histogram, these limits are not rounded to buckets.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of range, and <paramref name="throwOnOutOfRange"/> is
    /// set.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public void RecordInRange(ulong value, ulong min = 0, ulong max = ulong.MaxValue, bool throwOnOutOfRange = false)
    {
        min = Math.Max(min, MinTrackableValue);
        max = Math.Min(max, MaxTrackableValue);
        if (value >= min && value <= max)
        {
            Record(value);
            return;
        }

        Record(value, 0); // throws if the histogram is disposed, and takes no lock as readers do
        WritersBlock.AddOutOfRange(below: value < min, 1);
        if (throwOnOutOfRange)
        {
            throw new ArgumentOutOfRangeException(
                nameof(value), value, FormattableString.Invariant($"The value must be from {min} to {max}."));
        }
    }

    /// <summary>Counts a value and, where it is longer than the interval at which values were expected, the values that were not measured
    /// while it kept the measuring waiting (coordinated omission): <c>value - expectedInterval</c>, <c>value - 2 * expectedInterval</c> and
    /// so on, down to <paramref name="expectedInterval"/>.</summary>
    /// <param name="value">The value.</param>
    /// <param name="expectedInterval">The expected interval between values, in the value's unit; 0 for no correction.</param>
    /// <remarks>The same counts as <c>recordValueWithExpectedInterval</c> of the HdrHistogram family, in at most one step a
    /// bucket however short the interval is.</remarks>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public void RecordCorrected(ulong value, ulong expectedInterval)
    {
        Record(value);
        RecordMissing(value, 1, expectedInterval);
    }

    /// <summary>Counts the values that so many of a value kept from being measured.</summary>
    internal void RecordMissing(ulong value, ulong count, ulong expectedInterval)
    {
        if (expectedInterval == 0 || value <= expectedInterval)
        {
            return;
        }

        ulong missing = value - expectedInterval;
        while (missing >= expectedInterval)
        {
            // All that falls into the bucket of the largest missing value at once. Down to the bucket's start or the
            // interval itself, whichever is higher, so missing stays at least one interval above zero.
            ulong lowest = Math.Max(Layout.StartOf(Layout.IndexOf(missing)), expectedInterval);
            ulong steps = ((missing - lowest) / expectedInterval) + 1;
            Record(missing, steps * count);
            missing -= steps * expectedInterval;
        }
    }
}
