using System.Buffers;

namespace Picollo.Metrics;

/// <content>The summary.</content>
public abstract partial class ReadOnlyHdrHistogram
{
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
            bool isFilled = summary.TryFill(this, copy.Counts, copy.Underflow + copy.Overflow);
            System.Diagnostics.Debug.Assert(isFilled, "No thread writes to a copy.");
        }

        return summary;
    }

    /// <summary>Fills a summary from the counters themselves, without a copy.</summary>
    /// <returns><see langword="false"/> where the counters alone are not the whole truth, or were written meanwhile.</returns>
    private protected abstract bool TryFillInPlace(HdrHistogramSummary summary);

    /// <summary>The sum that a summary would have, from a copy of the counters.</summary>
    internal double SumOf(CountsCopy copy)
    {
        ulong[] buffer = ArrayPool<ulong>.Shared.Rent(CounterScan.BufferLength(this));
        double sum = new CounterScan(this, buffer).Run(copy.Counts).Sum;
        ArrayPool<ulong>.Shared.Return(buffer);
        return sum;
    }
}
