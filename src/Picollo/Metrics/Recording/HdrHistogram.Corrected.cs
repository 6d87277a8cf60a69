namespace Picollo.Metrics;

/// <content>Recording with a narrower range, and with a correction for coordinated omission.</content>
public abstract partial class HdrHistogram
{
    /// <summary>Records a value, with a range that is narrower than that of the histogram.</summary>
    /// <param name="value">The value, in any unit. If it is outside either range, it is counted in
    /// <see cref="ReadOnlyHdrHistogram.OverflowCount"/>.</param>
    /// <param name="min">The smallest value of the range. <see cref="ReadOnlyHdrHistogram.MinTrackableValue"/> applies if it is
    /// larger.</param>
    /// <param name="max">The largest value of the range. <see cref="ReadOnlyHdrHistogram.MaxTrackableValue"/> applies if it is smaller. If
    /// it is below <paramref name="min"/>, every value is out of range.</param>
    /// <param name="throwOnOutOfRange"><see langword="true"/> to throw after a value outside the range was counted; otherwise,
    /// <see langword="false"/>.</param>
    /// <remarks>Unlike the limits of the histogram, these limits are not rounded to buckets.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of range, and <paramref name="throwOnOutOfRange"/> is
    /// <see langword="true"/>.</exception>
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

        Record(value, 0); // throws if the histogram is disposed, without the lock of readers
        WritersBlock.AddOutOfRange(below: value < min, 1);
        if (throwOnOutOfRange)
        {
            throw new ArgumentOutOfRangeException(
                nameof(value), value, FormattableString.Invariant($"The value must be from {min} to {max}."));
        }
    }

    /// <summary>Records a value with a correction for coordinated omission. If the value is larger than the expected interval, it also
    /// records the values that were missed while the measurement waited: <c>value - expectedInterval</c>,
    /// <c>value - 2 * expectedInterval</c> and so on, down to <paramref name="expectedInterval"/>.</summary>
    /// <param name="value">The value, in any unit.</param>
    /// <param name="expectedInterval">The expected interval between values, in the unit of <paramref name="value"/>; 0 for no
    /// correction.</param>
    /// <remarks>The counts equal those of <c>recordValueWithExpectedInterval</c> in other HdrHistogram libraries. The method takes at most
    /// one step per bucket, however short the interval is.</remarks>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public void RecordCorrected(ulong value, ulong expectedInterval)
    {
        Record(value);
        RecordMissing(value, 1, expectedInterval);
    }

    /// <summary>Records the values that were missed because of <paramref name="count"/> measurements of <paramref name="value"/>.</summary>
    internal void RecordMissing(ulong value, ulong count, ulong expectedInterval)
    {
        if (expectedInterval == 0 || value <= expectedInterval)
        {
            return;
        }

        ulong missing = value - expectedInterval;
        while (missing >= expectedInterval)
        {
            // Record all values in the bucket of the largest missing value at once: down to the bucket's start or the interval, whichever
            // is higher, so that `missing` remains at least one interval above zero.
            ulong lowest = Math.Max(Layout.StartOf(Layout.IndexOf(missing)), expectedInterval);
            ulong steps = ((missing - lowest) / expectedInterval) + 1;
            Record(missing, steps * count);
            missing -= steps * expectedInterval;
        }
    }
}
