namespace Picollo.Metrics;

/// <summary>The statistics of a histogram at one moment: sixteen standard percentiles, the count, the mean and the standard deviation. It
/// prints them as tables and compares them with another summary.</summary>
/// <remarks>
/// <para><see cref="ReadOnlyHdrHistogram.GetSummary"/> fills a summary; it can reuse an instance without an allocation. The mean, the sum
/// and the population standard deviation are computed from the midpoints of the buckets. For an empty histogram, all values are 0.</para>
/// <para>Not thread-safe while it is being filled. All text output is culture-invariant.</para>
/// </remarks>
[DebuggerDisplay("{ToString(),nq}")]
[JsonConverter(typeof(PicolloJsonConverter))]
[ConvertedBy(typeof(HdrHistogramSummaryJsonConverter))]
public sealed partial class HdrHistogramSummary
{
    internal static readonly double[] StandardRanks =
        [0, 1, 5, 10, 25, 50, 75, 90, 92.5, 95, 97.5, 99, 99.9, 99.99, 99.999, 100];

    // Each element has four words, and a Percentile has eight. The percentiles are therefore created from the elements on demand.
    private readonly CounterAtRank[] _found = new CounterAtRank[StandardRanks.Length];
    private HdrHistogramLayout _layout;
    private uint _firstIndex;
    private EquivalentValueSelection _selection; // the process's default when the histogram was read
    private Percentile[]? _percentiles; // the result of Percentiles, allocated on first use

    /// <summary>Creates an empty summary, which <see cref="ReadOnlyHdrHistogram.GetSummary"/> can fill.</summary>
    public HdrHistogramSummary()
    {
    }

    /// <summary>The ranks of <see cref="Percentiles"/>, in ascending order.</summary>
    public static ReadOnlySpan<double> SummaryRanks => StandardRanks;

    /// <summary>The sixteen percentiles at <see cref="SummaryRanks"/>. The first call allocates. The span is valid until the summary is
    /// filled again.</summary>
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

    /// <summary>The number of recorded values within the range.</summary>
    public ulong TotalCount { get; private set; }

    /// <summary>The number of recorded values outside the range, on either side.</summary>
    public ulong OverflowCount { get; private set; }

    /// <summary>The sum of the values, computed from the midpoints of the buckets.</summary>
    public double Sum { get; private set; }

    /// <summary>The mean of the values, computed from the midpoints of the buckets.</summary>
    public double Mean { get; private set; }

    /// <summary>The population standard deviation of the values, computed from the midpoints of the buckets.</summary>
    public double StDev { get; private set; }

    /// <summary>The time when the counts were read, in UTC; for a snapshot, the time of its last update.</summary>
    public DateTimeOffset EndTime { get; private set; }

    /// <summary>The relative error of the histogram.</summary>
    public double RelativeError { get; private set; }

    /// <summary>The smallest value that the histogram always tracks.</summary>
    public ulong MinTrackableValue { get; private set; }

    /// <summary>The largest value that the histogram always tracks.</summary>
    public ulong MaxTrackableValue { get; private set; }

    /// <summary>Computes the effect size of a change: Cohen's d with the pooled standard deviation,
    /// <c>(mean₂ - mean₁) / √((n₁·s₁² + n₂·s₂²) / (n₁ + n₂))</c>.</summary>
    /// <param name="after">The second summary of the comparison; this summary is the first.</param>
    /// <returns>The difference of the means in standard deviations: by convention, 0.2 is small and 0.8 is large. It is 0 if the means are
    /// equal or either summary is empty, and infinite if the means differ and both standard deviations are 0.</returns>
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

    /// <summary>Returns one line with the name, the counts, the mean and the most commonly used percentiles.</summary>
    /// <param name="name">The name of the values; <see langword="null"/> for "Histogram".</param>
    /// <returns>A line such as <c>latency: Total=1,000, Overflow=0, Mean=21.4, P0=20, P25=…, P50=…, P90=…, P95=…, P99=…, P999=…,
    /// P100=…</c>.</returns>
    public string ToString(string? name) => string.Create(
        CultureInfo.InvariantCulture,
        $"{name ?? "Histogram"}: Total={TotalCount:N0}, Overflow={OverflowCount:N0}, Mean={Mean:N1}, P0={P0.Value:N0}, " +
        $"P25={P25.Value:N0}, P50={P50.Value:N0}, P90={P90.Value:N0}, P95={P95.Value:N0}, P99={P99.Value:N0}, " +
        $"P999={P999.Value:N0}, P100={P100.Value:N0}");

    /// <summary>Returns one line, as <see cref="ToString(string)"/> with the name "Histogram".</summary>
    /// <returns>The line.</returns>
    public override string ToString() => ToString(null);

    /// <summary>The counters of the standard ranks, to be set before <see cref="Set"/>.</summary>
    internal Span<CounterAtRank> Found => _found;

    /// <summary>Fills the summary of a histogram with the range from <paramref name="min"/> to <paramref name="max"/>.</summary>
    internal void Set(CounterRange range, ulong min, ulong max, in CounterReading reading, DateTimeOffset time)
    {
        _layout = range.Layout;
        _firstIndex = range.FirstIndex;
        _selection = Percentile.DefaultEquivalentValueSelection;
        TotalCount = reading.Moments.Total;
        OverflowCount = reading.OutOfRange;
        Sum = reading.Moments.Sum;
        Mean = reading.Moments.Mean;
        StDev = reading.Moments.StDev;
        EndTime = time.ToUniversalTime();
        RelativeError = _layout.RelativeError;
        MinTrackableValue = min;
        MaxTrackableValue = max;
    }

    internal Percentile At(int i) => Percentile.FromCounter(StandardRanks[i], _found[i], _layout, _firstIndex, _selection);
}

/// <summary>The moments of the counts and the count of out-of-range values, which were read together. The time of the counts is null for a
/// live histogram.</summary>
internal readonly record struct CounterReading(CounterMoments Moments, ulong OutOfRange, DateTimeOffset? Time = null);
