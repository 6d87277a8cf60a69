namespace Picollo.Export;

/// <summary>A data point to export. Its times are in nanoseconds since 1970.</summary>
internal sealed record OtlpPoint(OtlpSeries Series, OtlpReading Values, ulong StartNanoseconds, ulong TimeNanoseconds);

/// <summary>An exported histogram, counter or gauge.</summary>
/// <param name="key">The object that identifies the series: a registration, or a text.</param>
/// <param name="metric">The name and the description.</param>
/// <param name="attributes">The labels.</param>
/// <param name="startNanoseconds">The start of the first data point.</param>
internal sealed class OtlpSeries(
    object key, OtlpMetric metric, IReadOnlyList<KeyValuePair<string, string>> attributes, ulong startNanoseconds)
{
    public object Key => key;

    public OtlpMetric Metric => metric;

    public IReadOnlyList<KeyValuePair<string, string>> Attributes => attributes;

    /// <summary>The histogram with its buckets; null for a counter or gauge.</summary>
    public (HdrHistogramRegistration Registration, HistogramBuckets Buckets)? Histogram { get; init; }

    /// <summary>The value of a counter or gauge in the last collection that contained it.</summary>
    public double Value { get; set; }

    /// <summary>Whether the series was missing in the last collection.</summary>
    public bool IsRemoved { get; set; }

    /// <summary>The start of the next data point.</summary>
    public ulong StartNanoseconds { get; set; } = startNanoseconds;

    /// <summary>The last reading that the receiver accepted since the last reset; null if there is none. The next delta starts at this
    /// reading.</summary>
    public OtlpReading? Accepted { get; set; }

    /// <summary>The last reading; null before the first.</summary>
    public OtlpReading? Last { get; set; }

    /// <summary>Reads the series; null if its histogram is disposed.</summary>
    public OtlpReading? Read(List<(int Bucket, ulong Count)> used) => Histogram is var (registration, buckets)
        ? OtlpReading.From(registration, buckets, used)
        : new OtlpReading([], 0, Value, Last is { } last ? last.ResetCount + (Value < last.Sum && metric.CanBeDelta ? 1 : 0) : 0);

    /// <summary>Returns whether a reading has values.</summary>
    public bool HasValues(OtlpReading reading) => Histogram is null ? reading.Sum > 0 : reading.Count > 0;
}

/// <summary>Reads the series to export. A delta starts at the end of the last accepted one, so a failed export needs no queue and loses no
/// values. The memory is one or two readings per series. Not thread-safe.</summary>
internal sealed class OtlpCollector
{
    /// <summary>The number of series without a registration that are kept until their last values are accepted.</summary>
    public const int MaxRemovedSeries = 1_000;

    private const ulong NanosecondsPerMillisecond = 1_000_000;

    private readonly Func<IReadOnlyList<HdrHistogramRegistration>> _histograms;
    private readonly Func<IReadOnlyList<OtlpFamily>>? _families;
    private readonly bool _isDelta;
    private readonly bool _excludesConventions;
    private readonly TimeProvider _time;
    private readonly OtlpBuckets _buckets;
    private readonly Dictionary<object, OtlpSeries> _series = []; // by the registration of a histogram, or the key of another series
    private readonly List<(int Bucket, ulong Count)> _used = [];
    private ulong _lastTime;

    public OtlpCollector(
        Func<IReadOnlyList<HdrHistogramRegistration>> histograms,
        OtlpBuckets buckets,
        bool isDelta,
        TimeProvider time,
        Func<IReadOnlyList<OtlpFamily>>? families = null,
        bool excludesConventions = false)
    {
        (_histograms, _families, _buckets, _isDelta, _time) = (histograms, families, buckets, isDelta, time);
        _excludesConventions = excludesConventions;
        _lastTime = Now();
    }

    /// <summary>Reads all series, in the order of their names. Those of a metric follow each other, even if another metric has the name
    /// with a different unit. Series of deltas without new values are omitted.</summary>
    public IReadOnlyList<OtlpPoint> Collect()
    {
        // Receivers store milliseconds. Two exports must not have the same time, even if the clock was set back.
        ulong now = Math.Max(Now(), _lastTime + NanosecondsPerMillisecond);
        HashSet<object> current = [];
        foreach (HdrHistogramRegistration registration in _histograms())
        {
            OtlpMetric metric = MetricOf(registration);
            if (!IsExcluded(metric) && current.Add(registration) && !_series.ContainsKey(registration))
            {
                _series.Add(registration, new OtlpSeries(registration, metric, registration.Labels, _lastTime)
                {
                    Histogram = (registration, _buckets.Get(registration)),
                });
            }
        }

        foreach ((OtlpMetric metric, IReadOnlyList<PrometheusSample> samples) in _families?.Invoke() ?? [])
        {
            foreach (PrometheusSample sample in IsExcluded(metric) ? [] : samples)
            {
                string key = KeyOf(metric, sample);
                if (current.Add(key) && !_series.ContainsKey(key))
                {
                    _series.Add(key, new OtlpSeries(key, metric, sample.Labels, _lastTime));
                }

                _series[key].Value = sample.Value;
            }
        }

        List<OtlpPoint> points = [];
        int removed = 0;
        foreach (OtlpSeries series in _series.Values.ToArray())
        {
            series.IsRemoved = !current.Contains(series.Key);
            OtlpPoint? point = series.IsRemoved && ++removed > MaxRemovedSeries ? null : Read(series, now);
            if (point is not null)
            {
                points.Add(point);
            }
            else if (series.IsRemoved)
            {
                _series.Remove(series.Key);
            }
        }

        _lastTime = now;
        return
        [
            .. points.GroupBy(point => point.Series.Metric).OrderBy(metric => metric.Key.Name, StringComparer.Ordinal)
                .SelectMany(metric => metric),
        ];
    }

    /// <summary>Records that the receiver has accepted data points of the last collection.</summary>
    public void Accept(IEnumerable<OtlpPoint> points)
    {
        foreach (OtlpPoint point in points)
        {
            OtlpSeries series = point.Series;
            if (_isDelta && series.Metric.CanBeDelta)
            {
                (series.Accepted, series.StartNanoseconds) = (series.Last, point.TimeNanoseconds);
            }

            if (series.IsRemoved)
            {
                _series.Remove(series.Key);
            }
        }
    }

    private OtlpPoint? Read(OtlpSeries series, ulong now)
    {
        if (series.Read(_used) is not { } reading)
        {
            return null;
        }

        if (series.Last is { } last && last.ResetCount != reading.ResetCount)
        {
            (series.Accepted, series.StartNanoseconds) = (null, _lastTime);
        }

        series.Last = reading;
        OtlpReading values = series.Accepted is { } accepted ? reading.Since(accepted) : reading;
        return _isDelta && series.Metric.CanBeDelta && !series.HasValues(values)
            ? null
            : new OtlpPoint(series, values, series.StartNanoseconds, now);
    }

    private static OtlpMetric MetricOf(HdrHistogramRegistration registration) =>
        new(registration.Name, registration.Description.Help, registration.Description.Unit.Name, OtlpKind.Histogram);

    private static string KeyOf(OtlpMetric metric, PrometheusSample sample) =>
        string.Join('\0', sample.Labels.SelectMany(label => new[] { label.Key, label.Value }).Prepend(metric.Name));

    /// <summary>Returns the nanoseconds since 1970.</summary>
    public static ulong NanosecondsOf(DateTimeOffset time) =>
        (ulong)(time - DateTimeOffset.UnixEpoch).Ticks * TimeSpan.NanosecondsPerTick;

    private bool IsExcluded(OtlpMetric metric) => _excludesConventions && metric.IsOfConventions;

    private ulong Now() => NanosecondsOf(_time.GetUtcNow());
}

/// <summary>The values that a histogram had recorded at a point in time. The buckets with values are in ascending order. Values below the
/// range, and those that belong to no bucket, count as zeros. Immutable.</summary>
internal sealed record OtlpReading((int Bucket, ulong Count)[] Buckets, ulong Zero, double Sum, int ResetCount)
{
    public ulong Count { get; } = Zero + Buckets.Aggregate(0UL, static (sum, bucket) => sum + bucket.Count);

    /// <summary>The smallest and the largest value; null if it is out of the histogram's range, or there are no values.</summary>
    public (double? Min, double? Max) Extremes { get; init; }

    /// <summary>Reads a histogram; null if it is disposed.</summary>
    public static OtlpReading? From(HdrHistogramRegistration registration, HistogramBuckets buckets, List<(int Bucket, ulong Count)> used)
    {
        using HdrHistogramCounts? counts = registration.ReadCounts(reuseInstance: null);
        if (counts is null)
        {
            return null;
        }

        buckets.ReadUsed(counts, used);
        ulong zero = counts.CountBelowRange + counts.GetCount(0, buckets.ZeroEnd);
        return new([.. used.Where(bucket => bucket.Count > 0)], zero, registration.SumOf(counts), counts.ResetCount)
        {
            Extremes = ExtremesOf(counts, registration.Description.Unit.Ratio),
        };
    }

    /// <summary>Returns the values since an earlier reading. There must be no reset between the two.</summary>
    public OtlpReading Since(OtlpReading earlier)
    {
        List<(int, ulong)> grown = [];
        int next = 0;
        foreach ((int bucket, ulong count) in Buckets)
        {
            bool wasUsed = next < earlier.Buckets.Length && earlier.Buckets[next].Bucket == bucket;
            ulong before = wasUsed ? earlier.Buckets[next++].Count : 0;
            if (count > before)
            {
                grown.Add((bucket, count - before));
            }
        }

        return new([.. grown], Zero - earlier.Zero, Sum - earlier.Sum, ResetCount);
    }

    private static (double?, double?) ExtremesOf(HdrHistogramCounts counts, double ratio)
    {
        ReadOnlySpan<ulong> used = counts.AsSpan();
        int first = used.IndexOfAnyExcept(0UL);
        int last = used.LastIndexOfAnyExcept(0UL);
        return (
            first < 0 || counts.CountBelowRange > 0 ? null : ValueAt(first),
            last < 0 || counts.CountAboveRange > 0 ? null : ValueAt(last));

        double? ValueAt(int index) => counts.Layout.GetMidpoint(counts.FirstIndex + index) / ratio;
    }
}
