namespace Picollo.Export;

/// <summary>Merges any number of histograms, of different precisions and ranges, into one. The merger takes the memory of one
/// histogram.</summary>
/// <remarks>
/// <para>The result has the coarsest precision, the coarsest unit and the widest range of all histograms. Each bucket of a finer histogram
/// lies within one bucket of a coarser one, so merging adds no error: the result is the same as if all values had been recorded into one
/// histogram of that precision. Values that a histogram counted as out of range remain so
/// (<see cref="ReadOnlyHdrHistogram.OverflowCount"/>).</para>
/// <para>Not thread-safe. Other threads may record into the histograms while they are added.</para>
/// <example>
/// <code>
/// var merger = new HdrHistogramMerger();
/// using var log = new HdrHistogramLogReader("latency.hlog");
/// foreach (HdrHistogramLogInterval interval in log.ReadAll())
/// {
///     merger.Add(interval.Histogram);
/// }
///
/// merger.ToHistogram()?.GetSummary().PrettyPrint();
/// </code>
/// </example>
/// </remarks>
public sealed class HdrHistogramMerger
{
    /// <summary>The merged histogram, without a copy; null if nothing was added. The next call to <c>Add</c> changes or replaces
    /// it.</summary>
    internal PlainHdrHistogram<ulong>? Merged { get; private set; }

    /// <summary>Copies the merged histogram.</summary>
    /// <returns>A new histogram of 8 bytes per bucket, which later calls to <c>Add</c> do not change; <see langword="null"/> if nothing was
    /// added.</returns>
    public PlainHdrHistogram<ulong>? ToHistogram() => Merged is null ? null : Copy(Merged);

    /// <summary>Adds a histogram.</summary>
    /// <param name="histogram">A live histogram or a snapshot. Its counts are checked before it is read.</param>
    /// <exception cref="ArgumentNullException"><paramref name="histogram"/> is <see langword="null"/>.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    /// <exception cref="OverflowException">The counts in range or the counts out of range add up to 2⁶⁴ or more. Nothing is
    /// added.</exception>
    public void Add(ReadOnlyHdrHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        using HdrHistogramCounts added = histogram.GetCounts();
        CheckTotals(added);
        PlainHdrHistogram<ulong> merged = Widened(histogram);
        merged.Add(histogram);
        Merged = merged;
    }

    /// <summary>Adds an encoded histogram, in any format that <see cref="HdrHistogramEncoding.Decode"/> reads.</summary>
    /// <param name="encoded">The encoded histogram.</param>
    /// <exception cref="FormatException">The data is not a histogram, is damaged or truncated, or holds doubles. Nothing is
    /// added.</exception>
    /// <exception cref="OverflowException">The counts add up to 2⁶⁴ or more. Nothing is added.</exception>
    public void Add(ReadOnlySpan<byte> encoded) => Add(HdrHistogramEncoding.Decode(encoded));

    /// <summary>Copies a histogram, which is read once.</summary>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    internal static PlainHdrHistogram<ulong> Copy(ReadOnlyHdrHistogram histogram)
    {
        PlainHdrHistogram<ulong> copy = HdrHistogram.Factory.WithLayoutOf(histogram).WithUInt64Storage().Create();
        copy.Add(histogram);
        return copy;
    }

    /// <summary>Returns the merged histogram, or a copy with coarser buckets and a wider range if another histogram has them.</summary>
    private PlainHdrHistogram<ulong> Widened(ReadOnlyHdrHistogram histogram)
    {
        PlainHdrHistogramFactory<ulong> factory = HdrHistogram.Factory.WithLayoutOf(histogram).WithUInt64Storage();
        if (Merged is not { } merged)
        {
            return factory.Create();
        }

        if (merged.BlockSize <= histogram.BlockSize
            && merged.LowestDiscernibleValue >= histogram.LowestDiscernibleValue
            && merged.MinTrackableValue <= histogram.MinTrackableValue
            && merged.MaxTrackableValue >= histogram.MaxTrackableValue)
        {
            return merged;
        }

        PlainHdrHistogram<ulong> wider = (merged.BlockSize < histogram.BlockSize ? factory.WithLayoutOf(merged) : factory)
            .WithLowestDiscernibleValue(Math.Max(merged.LowestDiscernibleValue, histogram.LowestDiscernibleValue))
            .WithMinTrackableValue(Math.Min(merged.MinTrackableValue, histogram.MinTrackableValue))
            .WithMaxTrackableValue(Math.Max(merged.MaxTrackableValue, histogram.MaxTrackableValue))
            .Create();
        wider.Add(merged);
        return wider;
    }

    private void CheckTotals(HdrHistogramCounts added)
    {
        ulong total = Merged?.TotalCount ?? 0;
        bool wraps = false;
        foreach (ulong count in added.AsSpan())
        {
            total += count;
            wraps |= total < count;
        }

        UInt128 outside = (UInt128)(Merged?.OverflowCount ?? 0) + added.CountBelowRange + added.CountAboveRange;
        if (wraps || outside > ulong.MaxValue)
        {
            throw new OverflowException("The counts add up to 2^64 or more.");
        }
    }
}
