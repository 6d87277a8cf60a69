namespace Picollo.Metrics;

/// <summary>The counts of a histogram at one moment, or between two; updated in place, it allocates nothing after its creation.</summary>
/// <remarks>
/// <para>For monitoring: a snapshot updated with deltas sees each record in exactly one interval, while the histogram keeps its
/// totals and its writers are never stopped.</para>
/// <para>Thread-safe: updates and reads take turns.</para>
/// <example>
/// <code>
/// HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
/// HdrHistogramSummary summary = new();
/// while (await timer.WaitForNextTickAsync())
/// {
///     snapshot.Update(deltas: true);
///     Console.WriteLine(snapshot.GetSummary(summary).ToString("latency"));
/// }
/// </code>
/// </example>
/// </remarks>
public sealed class HdrHistogramSnapshot : ReadOnlyHdrHistogram
{
    private readonly HdrHistogram _source;
    private readonly object _gate = new();

    // Guarded by _gate, like the times.
    private readonly ulong[] _shown;
    private readonly ulong[] _atLastUpdate; // since the histogram's last reset
    private (ulong Underflow, ulong Overflow) _shownOutOfRange;
    private (ulong Underflow, ulong Overflow) _outOfRangeAtLastUpdate;
    private int _resetCount;

    internal HdrHistogramSnapshot(HdrHistogram source)
        : base(source.Layout, source.MinTrackableValue, source.MaxTrackableValue)
    {
        _source = source;
        _shown = new ulong[Length];
        _atLastUpdate = new ulong[Length];
        Update();
    }

    /// <summary>When the interval that is shown began, in UTC: the previous update for deltas, otherwise the creation of the histogram;
    /// its last reset if that was later.</summary>
    public DateTimeOffset StartTime { get; private set; }

    /// <summary>When the counts were read, in UTC.</summary>
    public DateTimeOffset EndTime { get; private set; }

    /// <inheritdoc/>
    public override long FootprintInBytes => Footprint.OfArray(_shown) + Footprint.OfArray(_atLastUpdate);

    /// <summary>Reads the histogram again, in place.</summary>
    /// <param name="deltas"><see langword="false"/>: show all that was recorded since the histogram's last reset.
    /// <see langword="true"/>: show what was recorded since the previous update of either kind (the snapshot's creation is
    /// the first), or since the last reset if that was later.</param>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public void Update(bool deltas = false)
    {
        lock (_gate)
        {
            DateTimeOffset previousUpdate = EndTime;
            (ulong Underflow, ulong Overflow) now = _source.CopyCounts(_shown, out int resetCount, out DateTimeOffset countingSince);
            EndTime = _source.ReadTime;
            if (deltas && resetCount == _resetCount)
            {
                StartTime = previousUpdate;
                CounterMath.ToDeltas(_shown, _atLastUpdate);
                _shownOutOfRange = (
                    now.Underflow - _outOfRangeAtLastUpdate.Underflow, now.Overflow - _outOfRangeAtLastUpdate.Overflow);
            }
            else
            {
                StartTime = countingSince;
                _shown.CopyTo(_atLastUpdate, 0);
                _shownOutOfRange = now;
            }

            _outOfRangeAtLastUpdate = now;
            _resetCount = resetCount;
        }
    }

    /// <inheritdoc/>
    internal override DateTimeOffset ReadTime => EndTime;

    private protected override bool TryFillInPlace(HdrHistogramSummary summary)
    {
        lock (_gate)
        {
            return summary.TryFill<ulong>(this, _shown, _shownOutOfRange.Underflow + _shownOutOfRange.Overflow);
        }
    }

    private protected override (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts)
    {
        lock (_gate)
        {
            _shown.CopyTo(counts);
            return _shownOutOfRange;
        }
    }

    private protected override (ulong Underflow, ulong Overflow) ReadOutOfRange()
    {
        lock (_gate)
        {
            return _shownOutOfRange;
        }
    }
}
