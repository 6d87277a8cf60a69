using System.Buffers;

namespace Picollo.Metrics;

/// <summary>The read operations of a histogram: counts, percentiles and summaries. They are the same for a live <see cref="HdrHistogram"/>
/// and for an <see cref="HdrHistogramSnapshot"/>.</summary>
/// <remarks>
/// <para>Each call reads the counters once, so its results are consistent with each other. Two calls on a live histogram may return the
/// counts of different moments. A read includes every record that happened before the call.</para>
/// <para>Thread-safe: any thread may read; concurrent reads wait for each other. Writers do not wait for reads, with two exceptions: a
/// thread's first record into a thread-local histogram, and a 32-bit counter that reaches 2³¹.</para>
/// <para>Unless a member states otherwise, reads use pooled buffers and do not allocate once the pool is filled.</para>
/// </remarks>
// Does not show counts: reading them takes a lock, which may be held by a thread that the debugger stopped.
[DebuggerDisplay("RelativeError = {RelativeError}, Range = {MinTrackableValue} to {MaxTrackableValue}")]
public abstract partial class ReadOnlyHdrHistogram
{
    internal readonly uint FirstIndex;
    internal readonly int Length;

    private protected ReadOnlyHdrHistogram(HdrHistogramLayout layout, ulong minTrackableValue, ulong maxTrackableValue)
    {
        Layout = layout;
        MinTrackableValue = minTrackableValue;
        MaxTrackableValue = maxTrackableValue;
        FirstIndex = layout.IndexOf(minTrackableValue);
        Length = (int)(layout.IndexOf(maxTrackableValue) - FirstIndex) + 1;
    }

    /// <summary>The layout of the buckets: their values and indexes.</summary>
    [JsonIgnore]
    public HdrHistogramLayout Layout { get; }

    /// <summary>The largest relative distance of a value from the midpoint of its bucket, <c>0.5 / BlockSize</c>. It is at most the error
    /// that was set in the factory, because block sizes are powers of two.</summary>
    public double RelativeError => Layout.RelativeError;

    /// <summary>The number of buckets in a block, a power of two. All buckets of a block have the same width. Values below
    /// <c>2 * BlockSize * LowestDiscernibleValue</c> are stored in whole units.</summary>
    public int BlockSize => Layout.BlockSize;

    /// <summary>The unit: the width of the smallest buckets, a power of two. If it is 1, values below <c>2 * BlockSize</c> are stored
    /// exactly.</summary>
    public ulong LowestDiscernibleValue => Layout.LowestDiscernibleValue;

    /// <summary>The smallest value that is always tracked, as set in the factory. The range is extended to whole buckets, so slightly
    /// smaller values may also be tracked.</summary>
    public ulong MinTrackableValue { get; }

    /// <summary>The largest value that is always tracked, as set in the factory. The range is extended to whole buckets, so slightly larger
    /// values may also be tracked.</summary>
    public ulong MaxTrackableValue { get; }

    /// <summary>Takes a snapshot of the counts, of a histogram since its last reset. Writers can record in the meantime. The snapshot can
    /// be updated in place later, unless it is of <see cref="HdrHistogramWindow.GetLast"/>.</summary>
    /// <returns>A new, independent snapshot, which allocates 16 bytes per bucket.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public abstract HdrHistogramSnapshot GetSnapshot();

    /// <summary>The number of recorded values within the range. Values outside it are counted in <see cref="OverflowCount"/>.</summary>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public ulong TotalCount
    {
        get
        {
            using CountsCopy copy = Read();
            return CounterMath.Sum(copy.Counts);
        }
    }

    /// <summary>The number of recorded values outside the range, on either side.</summary>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public ulong OverflowCount
    {
        get
        {
            (ulong underflow, ulong overflow) = ReadOutOfRange();
            return underflow + overflow;
        }
    }

    /// <summary>The number of recorded values below the range.</summary>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public ulong UnderflowCount => ReadOutOfRange().Underflow;

    /// <summary>The number of bytes that the histogram uses on the heap: the allocated counters of all threads with their lookup tables,
    /// and the data of resets and snapshots. Other objects add less than 512 bytes, plus 192 for each thread of a thread-local histogram.
    /// Pooled buffers of reads are not included.</summary>
    public abstract long FootprintInBytes { get; }

    /// <summary>Returns the standard percentiles, the count, the mean and the standard deviation, all from one read.</summary>
    /// <param name="reuseInstance">A summary to fill without an allocation; <see langword="null"/> to create a new one.</param>
    /// <returns><paramref name="reuseInstance"/>, or a new summary.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public HdrHistogramSummary GetSummary(HdrHistogramSummary? reuseInstance = null)
    {
        HdrHistogramSummary summary = reuseInstance ?? new HdrHistogramSummary();
        DateTimeOffset time = ReadTime;
        ReadCounters(HdrHistogramSummary.SummaryRanks, summary.Found, needsMoments: true, out CounterReading reading);
        summary.Set(Range, MinTrackableValue, MaxTrackableValue, reading, reading.Time ?? time);
        return summary;
    }

    /// <summary>Reads the counts of all used buckets into pooled memory. If the values are close together, this takes a fraction of the
    /// time of a read of the whole range.</summary>
    /// <param name="reuseInstance">Counts to fill without an allocation, of any histogram, disposed or not; <see langword="null"/> to
    /// create a new object.</param>
    /// <returns><paramref name="reuseInstance"/>, or a new object, to be disposed.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed; <paramref name="reuseInstance"/> does not change.</exception>
    public HdrHistogramCounts GetCounts(HdrHistogramCounts? reuseInstance = null)
    {
        HdrHistogramCounts counts = reuseInstance ?? new();
        ulong[] buffer = ArrayPool<ulong>.Shared.Rent(Length);
        try
        {
            (ulong, ulong) outOfRange = CopyUsedCounts(
                buffer.AsSpan(0, Length), out Range used, out int resetCount, out DateTimeOffset? startTime);
            (int start, int length) = used.GetOffsetAndLength(Length);
            counts.Set(new(Layout, FirstIndex + (uint)start, length), buffer, start, outOfRange, resetCount, startTime);
            return counts;
        }
        catch
        {
            ArrayPool<ulong>.Shared.Return(buffer);
            throw;
        }
    }

    /// <summary>Returns a copy that is corrected for coordinated omission: each value counts at the upper bound of its bucket, and the
    /// missed values are added as <see cref="HdrHistogram.RecordCorrected(ulong, ulong)"/> does. The counts equal those of
    /// <c>copyCorrectedForCoordinatedOmission</c> in other HdrHistogram libraries.</summary>
    /// <param name="expectedInterval">The expected interval between values, in the unit of the values; 0 for no correction.</param>
    /// <returns>A new histogram of the same layout and range.</returns>
    /// <remarks>Use it only if the values were recorded without correction.</remarks>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public PlainHdrHistogram<ulong> GetCorrected(ulong expectedInterval)
    {
        PlainHdrHistogram<ulong> corrected = new(HdrHistogramSettings.FromHistogram(this));
        using CountsCopy copy = Read();
        for (int i = 0; i < Length; i++)
        {
            if (copy.Counts[i] != 0)
            {
                ulong value = BucketAt(i, 0).End;
                corrected.Record(value, copy.Counts[i]);
                corrected.RecordMissing(value, copy.Counts[i], expectedInterval);
            }
        }

        corrected.AddOutOfRange(copy);
        return corrected;
    }

    /// <summary>Adds the counts to a histogram of the same layout and range, without an intermediate copy. Takes no lock of the target.
    /// The rest receives the counts that do not fit in the target's counters. Out-of-range counts are not added. Returns
    /// <see langword="false"/>, with nothing added, if this is not possible.</summary>
    internal virtual bool TryAddTo(
        ICounterTarget target, ref List<(int Number, ulong Count)>? rest, out (ulong Underflow, ulong Overflow) outOfRange)
    {
        outOfRange = default;
        return false;
    }

    /// <summary>The time of the counts that a read returns.</summary>
    internal abstract DateTimeOffset ReadTime { get; }

    /// <summary>Copies the counts into <paramref name="counts"/>, which has <see cref="Length"/> elements, and returns the out-of-range
    /// counts.</summary>
    private protected abstract (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts);

    /// <summary>Works like <see cref="CopyCounts"/>, but copies only <paramref name="used"/>, outside which all counts are 0. The number of
    /// resets and the start time (<see cref="HdrHistogramCounts.StartTime"/>) are from the same moment.</summary>
    private protected virtual (ulong Underflow, ulong Overflow) CopyUsedCounts(
        Span<ulong> counts, out Range used, out int resetCount, out DateTimeOffset? startTime)
    {
        (used, resetCount, startTime) = (..Length, 0, null);
        return CopyCounts(counts);
    }

    private protected abstract (ulong Underflow, ulong Overflow) ReadOutOfRange();

    /// <summary>Copies the counters for one call.</summary>
    internal CountsCopy Read()
    {
        CountsCopy copy = new(Length);
        try
        {
            copy.SetOutOfRange(CopyCounts(copy.Writable));
            return copy;
        }
        catch
        {
            copy.Dispose();
            throw;
        }
    }

    internal CounterRange Range => new(Layout, FirstIndex, Length);

    internal Bucket BucketAt(int storageIndex, ulong count) => Layout.BucketAt(FirstIndex, storageIndex, count);
}

/// <summary>A copy of all of a histogram's counters in a pooled buffer, for one call. Does not allocate, unlike
/// <see cref="HdrHistogramCounts"/>, but must not be copied.</summary>
internal struct CountsCopy(int length) : IDisposable
{
    /// <summary>The array that starts with the counts; null after disposal.</summary>
    public ulong[]? Buffer { get; private set; } = ArrayPool<ulong>.Shared.Rent(length);

    public ulong Underflow { get; private set; }

    public ulong Overflow { get; private set; }

    public readonly ReadOnlySpan<ulong> Counts => Writable;

    public readonly Span<ulong> Writable => Buffer.AsSpan(0, length);

    public void SetOutOfRange((ulong Underflow, ulong Overflow) counts) => (Underflow, Overflow) = counts;

    public void Dispose()
    {
        if (Buffer is { } buffer)
        {
            Buffer = null;
            ArrayPool<ulong>.Shared.Return(buffer);
        }
    }
}
