using System.Buffers;
using System.Diagnostics;
using System.Numerics;
using System.Text.Json.Serialization;

namespace Picollo.Metrics;

/// <summary>The figures of a histogram at one moment: sixteen standard percentiles, count, mean and standard deviation; with tables to look
/// at and to compare.</summary>
/// <remarks>
/// <para>Filled by <see cref="ReadOnlyHdrHistogram.GetSummary"/>, which reuses an instance without allocating. Mean, sum and
/// standard deviation (of the population) are taken over the midpoints of the buckets. An empty histogram has zeros
/// everywhere.</para>
/// <para>Not thread-safe while it is being filled. All printing is culture-invariant.</para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[JsonConverter(typeof(PicolloJsonConverter))]
public sealed partial class HdrHistogramSummary
{
    internal static readonly double[] StandardRanks =
        [0, 1, 5, 10, 25, 50, 75, 90, 92.5, 95, 97.5, 99, 99.9, 99.99, 99.999, 100];

    // What was found, from which the percentiles are made when they are asked for: four words instead of eight to fill.
    private readonly CounterAtRank[] _found = new CounterAtRank[StandardRanks.Length];
    private HdrLayout _layout;
    private uint _firstIndex;
    private EquivalentValueSelection _selection; // the process's when the histogram was read
    private Percentile[]? _percentiles; // what Percentiles returns, once it was asked for

    /// <summary>Creates an empty summary, for <see cref="ReadOnlyHdrHistogram.GetSummary"/> to fill.</summary>
    public HdrHistogramSummary()
    {
    }

    /// <summary>The ranks of <see cref="Percentiles"/>, in ascending order.</summary>
    public static ReadOnlySpan<double> SummaryRanks => StandardRanks;

    /// <summary>All sixteen percentiles, at <see cref="SummaryRanks"/>. The first read allocates; the span is valid until the
    /// summary is filled again.</summary>
    public ReadOnlySpan<Percentile> Percentiles
    {
        get
        {
            _percentiles ??= new Percentile[StandardRanks.Length];
            for (int i = 0; i < _percentiles.Length; i++)
            {
                _percentiles[i] = At(i);
            }

            return _percentiles;
        }
    }

    /// <summary>The smallest value.</summary>
    public Percentile P0 => At(0);

    /// <summary>The percentile at rank 1.</summary>
    public Percentile P1 => At(1);

    /// <summary>The percentile at rank 5.</summary>
    public Percentile P5 => At(2);

    /// <summary>The percentile at rank 10.</summary>
    public Percentile P10 => At(3);

    /// <summary>The percentile at rank 25.</summary>
    public Percentile P25 => At(4);

    /// <summary>The median.</summary>
    public Percentile P50 => At(5);

    /// <summary>The percentile at rank 75.</summary>
    public Percentile P75 => At(6);

    /// <summary>The percentile at rank 90.</summary>
    public Percentile P90 => At(7);

    /// <summary>The percentile at rank 92.5.</summary>
    public Percentile P925 => At(8);

    /// <summary>The percentile at rank 95.</summary>
    public Percentile P95 => At(9);

    /// <summary>The percentile at rank 97.5.</summary>
    public Percentile P975 => At(10);

    /// <summary>The percentile at rank 99.</summary>
    public Percentile P99 => At(11);

    /// <summary>The percentile at rank 99.9.</summary>
    public Percentile P999 => At(12);

    /// <summary>The percentile at rank 99.99.</summary>
    public Percentile P9999 => At(13);

    /// <summary>The percentile at rank 99.999.</summary>
    public Percentile P99999 => At(14);

    /// <summary>The largest value.</summary>
    public Percentile P100 => At(15);

    /// <summary>How many values were recorded within the range.</summary>
    public ulong TotalCount { get; private set; }

    /// <summary>How many values were recorded outside the range, on either side.</summary>
    public ulong OverflowCount { get; private set; }

    /// <summary>The sum of the values, each at its bucket's midpoint.</summary>
    public double Sum { get; private set; }

    /// <summary>The mean of the values, each at its bucket's midpoint.</summary>
    public double Mean { get; private set; }

    /// <summary>The population standard deviation of the values, each at its bucket's midpoint.</summary>
    public double StDev { get; private set; }

    /// <summary>When the counts were read, in UTC; for a snapshot, when it was updated.</summary>
    public DateTime TimestampUtc { get; private set; }

    /// <summary>The relative error of the histogram.</summary>
    public double RelativeError { get; private set; }

    /// <summary>The smallest value that the histogram tracks for certain.</summary>
    public ulong MinTrackableValue { get; private set; }

    /// <summary>The largest value that the histogram tracks for certain.</summary>
    public ulong MaxTrackableValue { get; private set; }

    /// <summary>The effect size of a change, Cohen's d with the pooled standard deviation:
    /// <c>(mean₂ - mean₁) / √((n₁·s₁² + n₂·s₂²) / (n₁ + n₂))</c>.</summary>
    /// <param name="after">The summary to compare with; this one is the state before.</param>
    /// <returns>The difference of the means in standard deviations: about 0.2 is called small, 0.8 large. 0 where the means
    /// are equal or either summary is empty; infinite where they differ and nothing varies.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="after"/> is <see langword="null"/>.</exception>
    public double GetEffectSize(HdrHistogramSummary after)
    {
        ArgumentNullException.ThrowIfNull(after);
        double difference = after.Mean - Mean;
        if (difference == 0 || TotalCount == 0 || after.TotalCount == 0)
        {
            return 0;
        }

        double before = TotalCount * StDev * StDev;
        double afterwards = after.TotalCount * after.StDev * after.StDev;
        return difference / Math.Sqrt((before + afterwards) / ((double)TotalCount + after.TotalCount));
    }

    /// <summary>One line: name, counts, mean and the most used percentiles.</summary>
    /// <param name="name">What the values are; <see langword="null"/> for "Histogram".</param>
    /// <returns>For example <c>latency: Total=1,000, Overflow=0, Mean=21.4, P0=20, P25=…, P50=…, P90=…, P95=…, P99=…, P999=…,
    /// P100=…</c>.</returns>
    public string ToString(string? name) => string.Create(
        CultureInfo.InvariantCulture,
        $"{name ?? "Histogram"}: Total={TotalCount:N0}, Overflow={OverflowCount:N0}, Mean={Mean:N1}, P0={P0.Value:N0}, " +
        $"P25={P25.Value:N0}, P50={P50.Value:N0}, P90={P90.Value:N0}, P95={P95.Value:N0}, P99={P99.Value:N0}, " +
        $"P999={P999.Value:N0}, P100={P100.Value:N0}");

    /// <summary>One line, as <see cref="ToString(string)"/> with the name "Histogram".</summary>
    /// <returns>The line.</returns>
    public override string ToString() => ToString(null);

    /// <summary>Takes the figures of a histogram from its counters.</summary>
    /// <returns><see langword="false"/> if the counters were written meanwhile; the summary is then half filled.</returns>
    internal bool TryFill<TCounter>(ReadOnlyHdrHistogram source, CounterView<TCounter> counters, ulong outOfRange)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        int length = CounterScan.BufferLength(source) + PercentileSearch.ChunkSize;
        ulong[] buffer = ArrayPool<ulong>.Shared.Rent(length);
        CounterScan scan = new(source, buffer.AsSpan(PercentileSearch.ChunkSize));
        CounterMoments moments = scan.Run(counters);
        PercentileSearch<TCounter> search = new(source, counters, scan.ChunkSums, buffer, moments.Total);
        bool areUnchanged = true;
        for (int i = 0; areUnchanged && i < StandardRanks.Length; i++)
        {
            areUnchanged = search.TryFind(StandardRanks[i], out _found[i]);
        }

        ArrayPool<ulong>.Shared.Return(buffer);
        if (!areUnchanged)
        {
            return false;
        }

        _layout = source.Layout;
        _firstIndex = source.FirstIndex;
        _selection = Percentile.DefaultEquivalentValueSelection;
        TotalCount = moments.Total;
        OverflowCount = outOfRange;
        Sum = moments.Sum;
        Mean = moments.Mean;
        StDev = moments.StDev;
        TimestampUtc = source.ReadTime.UtcDateTime;
        RelativeError = source.RelativeError;
        MinTrackableValue = source.MinTrackableValue;
        MaxTrackableValue = source.MaxTrackableValue;
        return true;
    }

    /// <summary>The percentile at the standard rank of that number.</summary>
    internal Percentile At(int i) => PercentileSearch.ToPercentile(StandardRanks[i], _found[i], _layout, _firstIndex, _selection);
}
