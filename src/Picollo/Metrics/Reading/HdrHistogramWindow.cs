namespace Picollo.Metrics;

/// <summary>What a histogram counted in its last intervals: percentiles of the last minute, while the histogram keeps its totals.</summary>
/// <remarks>
/// <para>An interval ends when <see cref="Rotate"/> is called; each record is in exactly one. Takes 8 bytes a bucket for each interval and
/// 16 more.</para>
/// <para>Thread-safe: rotations and reads take turns, and no writer waits for them.</para>
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
    private readonly Interval[] _intervals; // a ring; one not yet used is empty
    private int _latest;

    /// <summary>Begins the first interval.</summary>
    /// <param name="histogram">The histogram, of any variant.</param>
    /// <param name="intervals">How many intervals are kept; 1 or more.</param>
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
            _intervals[i] = new Interval(_snapshot.Length);
        }
    }

    /// <summary>Ends an interval and begins the next; the oldest of those kept is forgotten. Allocates nothing.</summary>
    /// <remarks>After a reset of the histogram, what was counted between the last rotation and the reset is lost.</remarks>
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
            ended.OutOfRange = (copy.Underflow, copy.Overflow);
        }
    }

    /// <summary>The last intervals as one histogram, to be kept and read after each rotation.</summary>
    /// <param name="intervals">How many of them, from 1 to those that the window keeps. The one that has not ended is not
    /// among them.</param>
    /// <returns>A view: each read is of the intervals that are the last ones then.</returns>
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
    }

    private sealed class View(HdrHistogramWindow window, int intervals) : ReadOnlyHdrHistogram(
        window._snapshot.Layout, window._snapshot.MinTrackableValue, window._snapshot.MaxTrackableValue)
    {
        public override long FootprintInBytes =>
            window._snapshot.FootprintInBytes + window._intervals.Sum(interval => Footprint.OfArray(interval.Counts));

        internal override DateTimeOffset ReadTime => window._snapshot.EndTime;

        private protected override (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts)
        {
            counts.Clear();
            return window.AddLast(intervals, counts);
        }

        private protected override (ulong Underflow, ulong Overflow) ReadOutOfRange() => window.AddLast(intervals, []);

        private protected override bool TryFillInPlace(HdrHistogramSummary summary) => false;
    }
}
