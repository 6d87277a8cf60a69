namespace Picollo.Export;

/// <summary>An immutable copy of a histogram without its empty buckets. Plots read it several times and need consistent data.</summary>
/// <remarks>A plot of thousands of series holds all copies at once. A snapshot has two counters for every bucket of the range, but this
/// copy uses twelve bytes for each used bucket.</remarks>
internal sealed class HistogramCopy : ReadOnlyHdrHistogram
{
    private readonly int[] _indexes;
    private readonly ulong[] _counts;
    private readonly (ulong Underflow, ulong Overflow) _outOfRange;

    /// <summary>Copies a histogram. It is read once.</summary>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public HistogramCopy(ReadOnlyHdrHistogram source)
        : base(source.Layout, source.MinTrackableValue, source.MaxTrackableValue)
    {
        ReadTime = source.ReadTime;
        using CountsCopy copy = source.Read();
        ReadOnlySpan<ulong> all = copy.Counts;
        int used = all.Length - all.Count(0UL);
        _indexes = new int[used];
        _counts = new ulong[used];
        int next = 0;
        for (int i = 0; next < used; i++)
        {
            if (all[i] != 0)
            {
                (_indexes[next], _counts[next]) = (i, all[i]);
                next++;
            }
        }

        _outOfRange = (copy.Underflow, copy.Overflow);
    }

    public override long FootprintInBytes => Footprint.OfArray(_indexes) + Footprint.OfArray(_counts);

    public int UsedCount => _indexes.Length;

    internal override DateTimeOffset ReadTime { get; }

    public Bucket UsedAt(int i) => BucketAt(_indexes[i], _counts[i]);

    private protected override (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts)
    {
        counts.Clear();
        for (int i = 0; i < _indexes.Length; i++)
        {
            counts[_indexes[i]] = _counts[i];
        }

        return _outOfRange;
    }

    private protected override (ulong Underflow, ulong Overflow) ReadOutOfRange() => _outOfRange;
}
