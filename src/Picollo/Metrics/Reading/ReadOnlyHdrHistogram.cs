using System.Buffers;
using System.Diagnostics;

namespace Picollo.Metrics;

/// <summary>What can be asked of a histogram: counts, percentiles and summaries, the same for a live <see cref="HdrHistogram"/> and for an
/// <see cref="HdrHistogramSnapshot"/> of one.</summary>
/// <remarks>Every call looks at the counters once and answers from that, so that its answers fit each other; two calls on a live histogram
/// may see different moments. What it sees holds every record that happened before the call. No writer waits for it, but for a thread's
/// first record into a thread-local histogram and a 32-bit counter that passes 2³¹. Reads may be made from any thread and take turns. They
/// use pooled buffers and allocate nothing once those are warm, where a member does not say otherwise.</remarks>
// No counts: they take a lock, which a thread that the debugger stopped may hold.
[DebuggerDisplay("RelativeError = {RelativeError}, Range = {MinTrackableValue} to {MaxTrackableValue}")]
public abstract partial class ReadOnlyHdrHistogram
{
    internal readonly HdrLayout Layout;
    internal readonly uint FirstIndex;
    internal readonly int Length;

    private protected ReadOnlyHdrHistogram(HdrLayout layout, ulong minTrackableValue, ulong maxTrackableValue)
    {
        Layout = layout;
        MinTrackableValue = minTrackableValue;
        MaxTrackableValue = maxTrackableValue;
        FirstIndex = layout.IndexOf(minTrackableValue);
        Length = (int)(layout.IndexOf(maxTrackableValue) - FirstIndex) + 1;
    }

    /// <summary>The largest relative distance of a value from the midpoint of its bucket, <c>0.5 / BlockSize</c>; at most what the factory
    /// was asked for, because block sizes are powers of two.</summary>
    public double RelativeError => Layout.RelativeError;

    /// <summary>The number of buckets in a block, all of one width; a power of two. Values below
    /// <c>2 * BlockSize * LowestDiscernibleValue</c> are held in whole units.</summary>
    public int BlockSize => Layout.BlockSize;

    /// <summary>The unit, a power of two: the width of the smallest buckets. With 1, values below <c>2 * BlockSize</c> are held
    /// exactly.</summary>
    public ulong LowestDiscernibleValue => 1UL << Layout.UnitScale;

    /// <summary>The smallest value that is tracked for certain, as the factory was asked for. The range widens to whole
    /// buckets: somewhat smaller values can still be tracked.</summary>
    public ulong MinTrackableValue { get; }

    /// <summary>The largest value that is tracked for certain, as the factory was asked for. The range widens to whole
    /// buckets: somewhat larger values can still be tracked.</summary>
    public ulong MaxTrackableValue { get; }

    /// <summary>How many values within the range were recorded; values outside it are in <see cref="OverflowCount"/>.</summary>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public ulong TotalCount
    {
        get
        {
            using CountsCopy copy = Read();
            return CounterMath.Sum(copy.Counts);
        }
    }

    /// <summary>How many values were recorded outside the range, on either side.</summary>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public ulong OverflowCount
    {
        get
        {
            (ulong underflow, ulong overflow) = ReadOutOfRange();
            return underflow + overflow;
        }
    }

    /// <summary>How many values were recorded below the range.</summary>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public ulong UnderflowCount => ReadOutOfRange().Underflow;

    /// <summary>The bytes that the histogram holds on the heap: the counters of all threads, as far as values have made them necessary,
    /// where they are found, and what resets and snapshots keep. The rest of the objects adds less than 512 bytes, and 192 for
    /// each thread of a thread-local histogram. Pooled buffers that a read borrows are not counted.</summary>
    public abstract long FootprintInBytes { get; }

    /// <summary>The standard percentiles, the count, mean and standard deviation, all of one moment.</summary>
    /// <param name="reuseInstance">A summary to fill instead of a new one; then nothing is allocated.</param>
    /// <returns><paramref name="reuseInstance"/>, or a new summary.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public HdrHistogramSummary GetSummary(HdrHistogramSummary? reuseInstance = null)
    {
        HdrHistogramSummary summary = reuseInstance ?? new HdrHistogramSummary();
        if (!TryFillInPlace(summary))
        {
            using CountsCopy copy = Read();
            bool isFilled = summary.TryFill<ulong>(this, new(copy.Counts), copy.Underflow + copy.Overflow);
            Debug.Assert(isFilled, "No thread writes to a copy.");
        }

        return summary;
    }

    /// <summary>Corrects for coordinated omission afterwards: each value counts at the upper bound of its bucket, with the values that were
    /// not measured while it kept the measuring waiting, as <see cref="HdrHistogram.RecordCorrected(ulong, ulong)"/> adds them. The same
    /// counts as <c>copyCorrectedForCoordinatedOmission</c> of the HdrHistogram family.</summary>
    /// <param name="expectedInterval">The expected interval between values, in the values' unit; 0 for no correction.</param>
    /// <returns>A new histogram of the same layout and range.</returns>
    /// <remarks>Only for values that were recorded without correction.</remarks>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public PlainHdrHistogram<ulong> GetCorrected(ulong expectedInterval)
    {
        PlainHdrHistogram<ulong> corrected = new(HdrHistogramSettings.Of(this));
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

    /// <summary>Adds the counts to a histogram of the same layout and range, without a copy between them.</summary>
    /// <param name="target">The histogram, which takes no lock for it.</param>
    /// <param name="rest">Receives the counts that the target's counters have no room for.</param>
    /// <param name="outOfRange">The counts out of range, which are not added.</param>
    /// <returns><see langword="false"/> if that is not possible; then nothing was added.</returns>
    internal virtual bool TryAddTo(
        HdrHistogram target, ref List<(int Number, ulong Count)>? rest, out (ulong Underflow, ulong Overflow) outOfRange)
    {
        outOfRange = default;
        return false;
    }

    /// <summary>When what a read returns was counted.</summary>
    internal abstract DateTimeOffset ReadTime { get; }

    /// <summary>Copies the counts into <paramref name="counts"/>, of <see cref="Length"/>, and returns what is out of range.</summary>
    private protected abstract (ulong Underflow, ulong Overflow) CopyCounts(Span<ulong> counts);

    /// <summary>As <see cref="CopyCounts"/>, but copies no more than <paramref name="used"/>, outside which all counts are 0.</summary>
    private protected virtual (ulong Underflow, ulong Overflow) CopyUsedCounts(Span<ulong> counts, out Range used)
    {
        used = ..Length;
        return CopyCounts(counts);
    }

    private protected abstract (ulong Underflow, ulong Overflow) ReadOutOfRange();

    /// <summary>Fills a summary from the counters themselves, without a copy; <see langword="false"/> where the counters alone are not the
    /// whole truth, or were written meanwhile.</summary>
    private protected abstract bool TryFillInPlace(HdrHistogramSummary summary);

    /// <summary>Takes the copy of the counters that one call answers from.</summary>
    internal CountsCopy Read() => Read(usedOnly: false);

    /// <summary>Takes a copy of the counters of which only <see cref="CountsCopy.Used"/> may be looked at: a histogram whose values lie
    /// close together is read in a fraction of the time.</summary>
    internal CountsCopy ReadUsed() => Read(usedOnly: true);

    private CountsCopy Read(bool usedOnly)
    {
        CountsCopy copy = new(Length);
        try
        {
            Range used = ..Length;
            copy.SetOutOfRange(usedOnly ? CopyUsedCounts(copy.Writable, out used) : CopyCounts(copy.Writable));
            copy.Used = used;
            return copy;
        }
        catch
        {
            copy.Dispose();
            throw;
        }
    }

    /// <summary>The sum that a summary would have, from a copy of the used counters.</summary>
    internal double SumOf(CountsCopy copy)
    {
        ulong[] buffer = ArrayPool<ulong>.Shared.Rent(CounterScan.BufferLength(this));
        double sum = new CounterScan(this, buffer).Run<ulong>(new(copy.Counts, copy.Used)).Sum;
        ArrayPool<ulong>.Shared.Return(buffer);
        return sum;
    }

    internal Bucket BucketAt(int storageIndex, ulong count) => Layout.BucketAt(FirstIndex, storageIndex, count);
}

/// <summary>A copy of a histogram's counters in a pooled buffer, for one call to answer from.</summary>
internal struct CountsCopy(int length) : IDisposable
{
    private ulong[]? _buffer = ArrayPool<ulong>.Shared.Rent(length);

    public ulong Underflow { get; private set; }

    public ulong Overflow { get; private set; }

    /// <summary>The counts; of <see cref="ReadOnlyHdrHistogram.ReadUsed"/>, undefined outside <see cref="Used"/>.</summary>
    public readonly ReadOnlySpan<ulong> Counts => Writable;

    /// <summary>Where the counts are that may be other than 0. It begins and ends where a page of counters or the range does.</summary>
    public Range Used { get; set; }

    public readonly Span<ulong> Writable => _buffer.AsSpan(0, length);

    /// <summary>The sum of the counts from an index to before another.</summary>
    public readonly ulong SumOfUsed(int from, int to)
    {
        from = Math.Max(from, Used.Start.Value);
        to = Math.Min(to, Used.End.Value);
        return from < to ? CounterMath.Sum(Counts[from..to]) : 0;
    }

    public void SetOutOfRange((ulong Underflow, ulong Overflow) counts) => (Underflow, Overflow) = counts;

    public void Dispose()
    {
        if (_buffer is { } buffer)
        {
            _buffer = null;
            ArrayPool<ulong>.Shared.Return(buffer);
        }
    }
}
