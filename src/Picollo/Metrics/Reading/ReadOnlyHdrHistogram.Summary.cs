using System.Buffers;
using System.Numerics;

namespace Picollo.Metrics;

/// <content>The summary.</content>
public abstract partial class ReadOnlyHdrHistogram
{
    /// <summary>The standard percentiles, the count, mean and standard deviation, all of one moment.</summary>
    /// <param name="reuse">A summary to fill instead of a new one; then nothing is allocated.</param>
    /// <returns><paramref name="reuse"/>, or a new summary.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public HdrHistogramSummary GetSummary(HdrHistogramSummary? reuse = null)
    {
        HdrHistogramSummary summary = reuse ?? new HdrHistogramSummary();
        if (!TrySummarizeInPlace(summary))
        {
            using CountsCopy copy = Read();
            bool summarized = TrySummarize(copy.Counts, copy.Underflow + copy.Overflow, summary);
            System.Diagnostics.Debug.Assert(summarized, "nobody writes to a copy");
        }

        return summary;
    }

    /// <summary>Fills a summary from the counters themselves, without a copy.</summary>
    /// <returns><see langword="false"/> where the counters alone are not the whole truth, or were written meanwhile.</returns>
    private protected abstract bool TrySummarizeInPlace(HdrHistogramSummary summary);

    /// <summary>Fills a summary from counters.</summary>
    /// <returns><see langword="false"/> if the counters were written meanwhile; the summary is then half filled.</returns>
    internal bool TrySummarize<TCounter>(ReadOnlySpan<TCounter> counters, ulong outOfRange, HdrHistogramSummary summary)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        int length = CounterScan.BufferLength(this) + PercentileSearch.ChunkSize;
        ulong[] buffer = ArrayPool<ulong>.Shared.Rent(length);
        CounterScan scan = new(this, buffer.AsSpan(PercentileSearch.ChunkSize));
        CounterMoments moments = scan.Run(counters);
        PercentileSearch<TCounter> search = new(this, counters, scan.ChunkSums, buffer, moments.Total);
        bool filled = summary.TryFill(this, ref search, moments, outOfRange);
        ArrayPool<ulong>.Shared.Return(buffer);
        return filled;
    }

    /// <summary>The sum that a summary would have, from a copy of the counters.</summary>
    internal double SumOf(CountsCopy copy)
    {
        ulong[] buffer = ArrayPool<ulong>.Shared.Rent(CounterScan.BufferLength(this));
        double sum = new CounterScan(this, buffer).Run(copy.Counts).Sum;
        ArrayPool<ulong>.Shared.Return(buffer);
        return sum;
    }
}
