namespace Picollo.Metrics;

/// <summary>The counts of a histogram at one moment or between two moments. It is updated in place and does not allocate after its
/// creation.</summary>
/// <remarks>
/// <para>Use it for monitoring: if a snapshot is updated with deltas, each record is in exactly one interval. The histogram keeps its
/// totals, and its writers are never stopped.</para>
/// <para>Thread-safe: concurrent updates and reads wait for each other.</para>
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
[JsonConverter(typeof(PicolloJsonConverter))]
[ConvertedBy(typeof(HdrHistogramSnapshotJsonConverter))]
public sealed partial class HdrHistogramSnapshot : ReadOnlyHdrHistogram, IDisposable, IEquatable<HdrHistogramSnapshot>
{
    private readonly HdrHistogram? _source; // null if the snapshot was read from JSON or is of a window
    private readonly object _gate = new();

    // Guarded by _gate, like the times.
    private readonly ulong[] _counts; // since the histogram's last reset
    private readonly ulong[] _deltas; // since the previous update
    private bool _showsDeltas;
    private (ulong Underflow, ulong Overflow) _outOfRange; // since the histogram's last reset
    private (ulong Underflow, ulong Overflow) _shownOutOfRange;
    private int _resetCount;
    private bool _isDisposed;

    internal HdrHistogramSnapshot(HdrHistogram source)
        : this(source.Layout, source.MinTrackableValue, source.MaxTrackableValue, source) => Update();

    internal HdrHistogramSnapshot(HdrHistogramLayout layout, ulong minTrackableValue, ulong maxTrackableValue, HdrHistogram? source)
        : base(layout, minTrackableValue, maxTrackableValue)
    {
        _source = source;
        _counts = new ulong[Length];
        _deltas = source is null ? [] : new ulong[Length];
    }

    internal HdrHistogramSnapshot(ReadOnlyHdrHistogram view, DateTimeOffset startTime)
        : this(view.Layout, view.MinTrackableValue, view.MaxTrackableValue, source: null)
    {
        using CountsCopy copy = view.Read();
        copy.Counts.CopyTo(_counts);
        _shownOutOfRange = (copy.Underflow, copy.Overflow);
        (StartTime, EndTime) = (startTime, view.ReadTime);
    }

    /// <summary>The start of the interval of the counts, in UTC. For deltas, it is the time of the previous update; otherwise, the creation
    /// of the histogram. If the histogram was reset later, it is the time of the last reset.</summary>
    public DateTimeOffset StartTime { get; private set; }

    /// <summary>The time when the counts were read, in UTC.</summary>
    public DateTimeOffset EndTime { get; private set; }

    /// <inheritdoc/>
    public override long FootprintInBytes => Footprint.OfArray(_counts) + Footprint.OfArray(_deltas);

    /// <summary>Reads the histogram again and replaces the counts.</summary>
    /// <param name="deltas"><see langword="false"/> for the counts since the histogram's last reset. <see langword="true"/> for the counts
    /// since the previous update of either kind (the creation of the snapshot is the first update), or since the last reset if that was
    /// later.</param>
    /// <exception cref="ObjectDisposedException">The histogram or the snapshot is disposed.</exception>
    /// <exception cref="InvalidOperationException">The snapshot was read from JSON or is of a
    /// <see cref="HdrHistogramWindow"/>.</exception>
    public void Update(bool deltas = false)
    {
        HdrHistogram source = _source
            ?? throw new InvalidOperationException("A snapshot from JSON or of a window cannot be updated: it has no histogram.");
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            DateTimeOffset previousUpdate = EndTime, end = source.ReadTime; // a clock that throws leaves everything unchanged

            int resetCount = _resetCount;
            DateTimeOffset countingSince = default;
            (ulong Underflow, ulong Overflow) now = default;
            bool areDeltas = deltas && source.TryReadDeltas(resetCount, _counts, _deltas, out now);
            if (!areDeltas)
            {
                now = source.CopyCounts(deltas ? _deltas : _counts, out resetCount, out countingSince);
                areDeltas = deltas && resetCount == _resetCount;
                if (areDeltas)
                {
                    CounterMath.ReadDeltas<ulong>(_deltas, _counts, _deltas);
                }
                else if (deltas)
                {
                    _deltas.CopyTo(_counts, 0); // the histogram was reset
                }
            }

            _showsDeltas = areDeltas;
            StartTime = areDeltas ? previousUpdate : countingSince;
            EndTime = end > StartTime ? end : StartTime; // the histogram may have been reset since the clock was read
            _shownOutOfRange = areDeltas ? (now.Underflow - _outOfRange.Underflow, now.Overflow - _outOfRange.Overflow) : now;
            _outOfRange = now;
            _resetCount = resetCount;
        }
    }

    /// <summary>Creates an independent copy of the snapshot. Both can be updated, each with deltas since its own previous update.</summary>
    /// <returns>A new snapshot.</returns>
    /// <exception cref="ObjectDisposedException">The snapshot is disposed.</exception>
    public override HdrHistogramSnapshot GetSnapshot()
    {
        var copy = new HdrHistogramSnapshot(Layout, MinTrackableValue, MaxTrackableValue, _source);
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            _counts.CopyTo(copy._counts, 0);
            _deltas.CopyTo(copy._deltas, 0);
            (copy._showsDeltas, copy._resetCount) = (_showsDeltas, _resetCount);
            (copy._outOfRange, copy._shownOutOfRange) = (_outOfRange, _shownOutOfRange);
            (copy.StartTime, copy.EndTime) = (StartTime, EndTime);
        }

        return copy;
    }

    /// <summary>Disposes the snapshot: later reads and updates throw <see cref="ObjectDisposedException"/>. Idempotent. The call is
    /// optional, because there is nothing to free.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _isDisposed = true;
        }
    }

    /// <summary>Compares the layout, the range and all counts with those of another snapshot. Times are ignored.</summary>
    /// <param name="other">The snapshot to compare with.</param>
    /// <returns><see langword="true"/> if all are equal; otherwise, <see langword="false"/>.</returns>
    /// <exception cref="ObjectDisposedException">Either snapshot is disposed.</exception>
    public bool Equals(HdrHistogramSnapshot? other)
    {
        if (other is null || other.Layout != Layout || other.MinTrackableValue != MinTrackableValue
            || other.MaxTrackableValue != MaxTrackableValue)
        {
            return false;
        }

        using CountsCopy mine = Read(), theirs = other.Read();
        return mine.Underflow == theirs.Underflow && mine.Overflow == theirs.Overflow && mine.Counts.SequenceEqual(theirs.Counts);
    }

    /// <inheritdoc cref="Equals(HdrHistogramSnapshot)"/>
    /// <param name="obj">The object to compare with.</param>
    public override bool Equals(object? obj) => Equals(obj as HdrHistogramSnapshot);

    /// <summary>Returns a hash code of the layout and the range, which do not change.</summary>
    /// <returns>The hash code.</returns>
    public override int GetHashCode() => HashCode.Combine(Layout, MinTrackableValue, MaxTrackableValue);

    private ulong[] Shown => _showsDeltas ? _deltas : _counts;

    internal override DateTimeOffset ReadTime => EndTime;

    internal override bool TryAddTo(
        ICounterTarget target, ref List<(int Number, ulong Count)>? rest, out (ulong Underflow, ulong Overflow) outOfRange)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            outOfRange = _shownOutOfRange;
            ulong[]? shown = Shown;
            return target.TryAdd(CounterView<ulong>.FromArray(ref shown, 0, Length), ref rest);
        }
    }

    private protected override bool TryReadInPlace(
        ReadOnlySpan<double> ranks, Span<CounterAtRank> found, bool needsMoments, out CounterReading reading)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            ulong[]? shown = Shown;
            bool isRead = CounterScan.TryRead(
                Range, CounterView<ulong>.FromArray(ref shown, 0, Length), ranks, found, needsMoments, out CounterMoments moments);
            reading = new CounterReading(moments, _shownOutOfRange.Underflow + _shownOutOfRange.Overflow, EndTime);
            return isRead;
        }
    }

    private protected override (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            Shown.CopyTo(counts);
            return _shownOutOfRange;
        }
    }

    private protected override (ulong Underflow, ulong Overflow) ReadOutOfRange()
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isDisposed, this);
            return _shownOutOfRange;
        }
    }
}
