using Picollo.Metrics;

namespace Picollo.Export;

/// <summary>Merges any number of histograms, of different precisions and ranges, into one, in the memory of one.</summary>
/// <remarks>
/// <para>The result has the coarsest precision and the widest range of all. A bucket of a finer histogram lies within one of a coarser, so
/// no error is added: the result is the same as if everything had been recorded into one histogram of that precision. What a histogram
/// counted only as out of its range stays so (<see cref="ReadOnlyHdrHistogram.OverflowCount"/>).</para>
/// <para>Not thread-safe; the histograms that are added may be written meanwhile.</para>
/// <example>
/// <code>
/// var merger = new HdrHistogramMerger();
/// using var log = new HdrHistogramLogReader("latency.hlog");
/// foreach (HdrHistogramLogInterval interval in log.ReadAll())
/// {
///     merger.Add(interval.Histogram);
/// }
///
/// merger.Histogram?.GetSummary().PrettyPrint();
/// </code>
/// </example>
/// </remarks>
public sealed class HdrHistogramMerger
{
    /// <summary>What was added so far; null before anything was. Later calls of <c>Add</c> may go on with another object.</summary>
    public PlainHdrHistogram<ulong>? Histogram { get; private set; }

    /// <summary>Adds a histogram.</summary>
    /// <param name="histogram">A live one or a snapshot. Is read once.</param>
    /// <exception cref="ArgumentNullException">No histogram.</exception>
    /// <exception cref="ArgumentException">It is <see cref="Histogram"/> itself; a snapshot of that doubles its counts.</exception>
    /// <exception cref="ObjectDisposedException">The histogram, or <see cref="Histogram"/>, is disposed.</exception>
    /// <exception cref="OverflowException">The counts, those in range or those out of it, add up to 2⁶⁴ or more; nothing is
    /// added.</exception>
    public void Add(ReadOnlyHdrHistogram histogram)
    {
        ArgumentNullException.ThrowIfNull(histogram);
        if (ReferenceEquals(histogram, Histogram))
        {
            throw new ArgumentException(
                "The result cannot be added to itself; add a snapshot of it to double its counts.", nameof(histogram));
        }

        using CountsCopy added = histogram.Read();
        CheckTotals(added);
        HdrHistogramSettings settings = HdrHistogramSettings.Of(histogram);
        if (Histogram is not { } merged)
        {
            merged = new PlainHdrHistogram<ulong>(settings);
        }
        else if (merged.BlockSize > histogram.BlockSize
            || merged.MinTrackableValue > histogram.MinTrackableValue
            || merged.MaxTrackableValue < histogram.MaxTrackableValue)
        {
            HdrHistogramSettings coarser = merged.BlockSize < histogram.BlockSize ? HdrHistogramSettings.Of(merged) : settings;
            merged = new PlainHdrHistogram<ulong>(coarser with
            {
                MinTrackableValue = Math.Min(merged.MinTrackableValue, histogram.MinTrackableValue),
                MaxTrackableValue = Math.Max(merged.MaxTrackableValue, histogram.MaxTrackableValue),
            });
            merged.Add(Histogram);
        }

        merged.Add(histogram, added);
        Histogram = merged;
    }

    /// <summary>Adds an encoded histogram, of any format that <see cref="HdrHistogramEncoding.Decode"/> reads.</summary>
    /// <param name="encoded">The histogram.</param>
    /// <exception cref="HdrHistogramFormatException">It is none, is damaged or cut off, or holds doubles; nothing is added.</exception>
    /// <exception cref="ObjectDisposedException"><see cref="Histogram"/> is disposed.</exception>
    /// <exception cref="OverflowException">The counts add up to 2⁶⁴ or more; nothing is added.</exception>
    public void Add(ReadOnlySpan<byte> encoded) => Add(HdrHistogramEncoding.Decode(encoded));

    private void CheckTotals(in CountsCopy added)
    {
        ulong total = Histogram?.TotalCount ?? 0;
        bool wraps = false;
        foreach (ulong count in added.Counts)
        {
            total += count;
            wraps |= total < count;
        }

        UInt128 outside = (UInt128)(Histogram?.OverflowCount ?? 0) + added.Underflow + added.Overflow;
        if (wraps || outside > ulong.MaxValue)
        {
            throw new OverflowException("The counts add up to 2^64 or more.");
        }
    }
}
