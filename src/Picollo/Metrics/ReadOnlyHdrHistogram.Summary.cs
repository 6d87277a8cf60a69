using System.Buffers;

namespace Picollo.Metrics;

/// <content>The summary.</content>
public abstract partial class ReadOnlyHdrHistogram
{
    /// <summary>When the counts that a read returns were counted.</summary>
    private protected virtual DateTime ReadTimeUtc => DateTime.UtcNow;

    /// <summary>The standard percentiles, the count, mean and standard deviation, all of one moment.</summary>
    /// <param name="reuse">A summary to fill instead of a new one; then nothing is allocated.</param>
    /// <returns><paramref name="reuse"/>, or a new summary.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public HdrHistogramSummary GetSummary(HdrHistogramSummary? reuse = null)
    {
        HdrHistogramSummary summary = reuse ?? new HdrHistogramSummary();
        using CountsCopy copy = Read();
        int chunks = CounterScan.ChunkCount(Length);
        ulong[] buffer = ArrayPool<ulong>.Shared.Rent(chunks);
        Span<ulong> chunkSums = buffer.AsSpan(0, chunks);
        ulong total = CounterScan.SumChunks(copy.Counts, chunkSums);
        CounterMoments moments = CounterMoments.Of(this, copy.Counts, total);
        summary.Fill(this, copy.Counts, chunkSums, moments, copy.Underflow + copy.Overflow, ReadTimeUtc);
        ArrayPool<ulong>.Shared.Return(buffer);
        return summary;
    }
}
