namespace Picollo.Metrics;

/// <summary>A sliding window over a histogram: the counts of its last intervals, for example the percentiles of the last minute. The
/// histogram keeps its totals.</summary>
/// <remarks>
/// <para>An interval ends when <see cref="Rotate"/> is called. Each record is in exactly one interval. For each bucket, a window takes 8
/// bytes per interval, plus 16 bytes.</para>
/// <para>Thread-safe: concurrent rotations and reads wait for each other. Writers do not wait.</para>
/// <example>
/// <code>
/// var window = new HdrHistogramWindow(latency, intervals: 60);
/// ReadOnlyHdrHistogram lastMinute = window.GetLast(60);
/// while (await everySecond.WaitForNextTickAsync())
/// {
///     window.Rotate();
///     Console.WriteLine(lastMinute.GetPercentileValue(99));
/// }
/// </code>
/// </example>
/// </remarks>
public sealed class HdrHistogramWindow
{
    private readonly object _gate = new();
    private readonly HdrHistogramSnapshot _snapshot;
    private readonly Interval[] _intervals; // a ring; unused intervals are empty
    private int _latest;

    /// <summary>Creates the window and starts the first interval.</summary>
    /// <param name="histogram">The histogram, of any variant.</param>
    /// <param name="intervals">The number of intervals to keep; 1 or more.</param>
    /// <exception cref="ArgumentNullException"><paramref name="histogram"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="intervals"/> is below 1.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public HdrHistogramWindow(HdrHistogram histogram, int intervals)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        ArgumentOutOfRangeException.ThrowIfLessThan(intervals, 1);
        _snapshot = histogram.GetSnapshot();
        _intervals = new Interval[intervals];
        for (int i = 0; i < intervals; i++)
        {
            _intervals[i] = new Interval(_snapshot.Length) { StartTime = _snapshot.EndTime };
        }
    }

    /// <summary>Ends the current interval and starts the next one. The oldest interval is removed. Does not allocate.</summary>
    /// <remarks>If the histogram is reset, the counts between the last rotation and the reset are lost.</remarks>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public void Rotate()
    {
        lock (_gate)
        {
            _snapshot.Update(deltas: true);
            _latest = (_latest + 1) % _intervals.Length;
            Interval ended = _intervals[_latest];
            using CountsCopy copy = _snapshot.Read();
            copy.Counts.CopyTo(ended.Counts);
            (ended.OutOfRange, ended.StartTime) = ((copy.Underflow, copy.Overflow), _snapshot.StartTime);
        }
    }

    /// <summary>Returns the last intervals as one histogram. Keep it and read it after each rotation.</summary>
    /// <param name="intervals">The number of intervals, from 1 to the number that the window keeps. The current interval, which has not
    /// ended, is not included.</param>
    /// <returns>A view of the window. Each read covers the last intervals at the time of the read.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="intervals"/> is outside its range.</exception>
    public ReadOnlyHdrHistogram GetLast(int intervals)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(intervals, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(intervals, _intervals.Length);
        return new View(this, intervals);
    }

    private (ulong Underflow, ulong Overflow) AddLast(int intervals, Span<ulong> sums)
    {
        (ulong Underflow, ulong Overflow) outOfRange = default;
        lock (_gate)
        {
            for (int age = 0; age < intervals; age++)
            {
                Interval interval = _intervals[(_latest - age + _intervals.Length) % _intervals.Length];
                CounterMath.Add<ulong>(interval.Counts.AsSpan(0, sums.Length), sums);
                outOfRange = (outOfRange.Underflow + interval.OutOfRange.Underflow, outOfRange.Overflow + interval.OutOfRange.Overflow);
            }
        }

        return outOfRange;
    }

    private sealed class Interval(int length)
    {
        public readonly ulong[] Counts = new ulong[length];

        public (ulong Underflow, ulong Overflow) OutOfRange;

        public DateTimeOffset StartTime;
    }

    private sealed class View(HdrHistogramWindow window, int intervals) : ReadOnlyHdrHistogram(
        window._snapshot.Layout, window._snapshot.MinTrackableValue, window._snapshot.MaxTrackableValue)
    {
        public override long FootprintInBytes =>
            window._snapshot.FootprintInBytes + window._intervals.Sum(interval => Footprint.OfArray(interval.Counts));

        public override HdrHistogramSnapshot GetSnapshot()
        {
            lock (window._gate)
            {
                int oldest = (window._latest - intervals + 1 + window._intervals.Length) % window._intervals.Length;
                return new(this, window._intervals[oldest].StartTime);
            }
        }

        internal override DateTimeOffset ReadTime => window._snapshot.EndTime;

        private protected override (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts)
        {
            counts.Clear();
            return window.AddLast(intervals, counts);
        }

        private protected override (ulong Underflow, ulong Overflow) ReadOutOfRange() => window.AddLast(intervals, []);
    }
}
