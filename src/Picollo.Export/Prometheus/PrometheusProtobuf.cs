namespace Picollo.Export;

/// <summary>Writes the protobuf format, in which each family is a message preceded by its length
/// (https://github.com/prometheus/client_model/blob/v0.6.2/io/prometheus/client/metrics.proto).</summary>
internal static class PrometheusProtobuf
{
    // Field numbers of metrics.proto, by message.
    private const int FamilyName = 1, FamilyHelp = 2, FamilyType = 3, FamilyMetric = 4;
    private const int MetricLabel = 1, MetricGauge = 2, MetricCounter = 3, MetricHistogram = 7;
    private const int LabelName = 1, LabelValue = 2;
    private const int SampleValue = 1, CounterStartTime = 3;
    private const int SampleCount = 1, SampleSum = 2, ClassicBucket = 3, StartTime = 15, NativeExemplar = 16;
    private const int CumulativeCount = 1, UpperBound = 2, BucketExemplar = 3;
    private const int ExemplarLabel = 1, ExemplarValue = 2, ExemplarTime = 3;
    private const int TimeSeconds = 1, TimeNanoseconds = 2;
    private const ulong CounterType = 0, GaugeType = 1, HistogramType = 4;

    public static void Write(IBufferWriter<byte> output, IEnumerable<PrometheusSelected> all, NativeHistogramEncoder native)
    {
        using ProtobufBuffer buffer = new();
        List<(int Bucket, ulong Count)> used = [];
        int family = 0;
        foreach (PrometheusSelected selected in all)
        {
            using HdrHistogramCounts counts = selected.Counts;
            PrometheusSeries series = selected.Series;
            if (selected.IsFirstOfName)
            {
                EndFamily();
                family = BeginFamily(buffer, series.Name, series.Help, HistogramType);
            }

            int metric = BeginMetric(buffer, series.Registration.Labels);
            int histogram = buffer.Begin(MetricHistogram);
            IReadOnlyList<Exemplar> exemplars = series.Exemplars;
            WriteClassic(buffer, series, counts, exemplars is [.., var slowest] ? slowest : null);
            native.Write(buffer, series, counts, used);
            foreach (Exemplar exemplar in exemplars.OrderBy(exemplar => exemplar.Time))
            {
                WriteExemplar(buffer, NativeExemplar, series.ValueOf(exemplar), exemplar);
            }

            if (counts.StartTime is { } start)
            {
                WriteTime(buffer, StartTime, start);
            }

            buffer.End(histogram);
            buffer.End(metric);
        }

        EndFamily();

        void EndFamily()
        {
            if (family > 0)
            {
                EndMessage(output, buffer, family);
            }
        }
    }

    public static void WriteSamples(
        IBufferWriter<byte> output,
        string name,
        string help,
        bool isCounter,
        IEnumerable<PrometheusSample> samples,
        DateTimeOffset? startTime)
    {
        using ProtobufBuffer buffer = new();
        int family = BeginFamily(buffer, name, help, isCounter ? CounterType : GaugeType);
        foreach (PrometheusSample sample in samples)
        {
            int metric = BeginMetric(buffer, sample.Labels);
            int number = buffer.Begin(isCounter ? MetricCounter : MetricGauge);
            buffer.WriteDouble(SampleValue, sample.Value);
            if (startTime is { } start)
            {
                WriteTime(buffer, CounterStartTime, start);
            }

            buffer.End(number);
            buffer.End(metric);
        }

        EndMessage(output, buffer, family);
    }

    private static int BeginFamily(ProtobufBuffer buffer, string name, string help, ulong type)
    {
        int family = buffer.BeginMessage();
        buffer.WriteText(FamilyName, name);
        buffer.WriteText(FamilyHelp, help);
        buffer.WriteVarint(FamilyType, type);
        return family;
    }

    private static void EndMessage(IBufferWriter<byte> output, ProtobufBuffer buffer, int message)
    {
        buffer.End(message);
        output.Write(buffer.Written);
        buffer.Clear();
    }

    private static int BeginMetric(ProtobufBuffer buffer, IReadOnlyList<KeyValuePair<string, string>> labels)
    {
        int metric = buffer.Begin(FamilyMetric);
        foreach ((string name, string value) in PrometheusNames.PairsOf(labels))
        {
            WriteLabel(buffer, MetricLabel, name, value);
        }

        return metric;
    }

    private static void WriteLabel(ProtobufBuffer buffer, int field, string name, string value)
    {
        int label = buffer.Begin(field);
        buffer.WriteText(LabelName, name);
        buffer.WriteText(LabelValue, value);
        buffer.End(label);
    }

    // Only one exemplar is written in a bucket. Servers before 2.51 do not read the exemplars of native histograms, but those of the
    // buckets, and accept them only in time order. Prometheus 2.42 accepts only the first.
    private static void WriteClassic(ProtobufBuffer buffer, PrometheusSeries series, HdrHistogramCounts counts, Exemplar? slowest)
    {
        PrometheusBounds bounds = series.Bounds;
        CumulativeCounts cumulative = new(bounds, counts);
        for (int i = 0; i < bounds.Count; i++)
        {
            int bucket = buffer.Begin(ClassicBucket);
            buffer.WriteVarint(CumulativeCount, cumulative.UpTo(i));
            buffer.WriteDouble(UpperBound, bounds.ValueOf(i));
            if (slowest is { } exemplar && series.ValueOf(exemplar) <= bounds.ValueOf(i))
            {
                WriteExemplar(buffer, BucketExemplar, series.ValueOf(exemplar), exemplar);
                slowest = null;
            }

            buffer.End(bucket);
        }

        ulong all = cumulative.All;

        // The bucket +Inf is written only for an exemplar. Its count is the total count.
        if (slowest is { } above)
        {
            int bucket = buffer.Begin(ClassicBucket);
            buffer.WriteVarint(CumulativeCount, all);
            buffer.WriteDouble(UpperBound, double.PositiveInfinity);
            WriteExemplar(buffer, BucketExemplar, series.ValueOf(above), above);
            buffer.End(bucket);
        }

        buffer.WriteVarint(SampleCount, all);
        buffer.WriteDouble(SampleSum, series.Registration.SumOf(counts));
    }

    private static void WriteExemplar(ProtobufBuffer buffer, int field, double value, in Exemplar exemplar)
    {
        int message = buffer.Begin(field);
        WriteLabel(buffer, ExemplarLabel, Exemplar.TraceIdLabel, exemplar.TraceId);
        WriteLabel(buffer, ExemplarLabel, Exemplar.SpanIdLabel, exemplar.SpanId);
        buffer.WriteDouble(ExemplarValue, value);
        WriteTime(buffer, ExemplarTime, exemplar.Time);
        buffer.End(message);
    }

    private static void WriteTime(ProtobufBuffer buffer, int field, DateTimeOffset time)
    {
        int message = buffer.Begin(field);
        buffer.WriteVarint(TimeSeconds, (ulong)time.ToUnixTimeSeconds()); // rounded down, also before 1970
        buffer.WriteVarint(TimeNanoseconds, (ulong)(time.UtcTicks % TimeSpan.TicksPerSecond * TimeSpan.NanosecondsPerTick));
        buffer.End(message);
    }
}

/// <summary>Writes the fields of native histograms, and caches the bounds for each kind of histogram. Thread-safe.</summary>
internal sealed class NativeHistogramEncoder(int schema)
{
    // Field numbers of metrics.proto, by message.
    private const int Schema = 5, ZeroThreshold = 6, ZeroCount = 7, PositiveSpan = 12, PositiveDelta = 13;
    private const int SpanOffset = 1, SpanLength = 2;

    // 2^-128, as in Prometheus' own libraries. Prometheus 2.42 recognizes an empty histogram as a native one only by its threshold.
    private const double MinZeroThreshold = 2.938735877055719e-39;

    private readonly BucketsCache<ExponentialBounds> _bounds = new((histogram, ratio) => new(histogram, ratio, schema));

    public void Write(ProtobufBuffer buffer, PrometheusSeries series, HdrHistogramCounts counts, List<(int Bucket, ulong Count)> used)
    {
        ExponentialBounds bounds = _bounds.Get(series.Registration);
        buffer.WriteSigned(Schema, schema);
        buffer.WriteDouble(ZeroThreshold, Math.Max(MinZeroThreshold, series.Registration.ZeroThreshold));
        buffer.WriteVarint(ZeroCount, counts.CountBelowRange + counts.GetCount(0, bounds.ZeroEnd));
        bounds.ReadUsed(counts, used);

        // Later versions recognize a native histogram by its span, which may have no buckets.
        int last = 0;
        for (int start = 0, end; start < used.Count || start == 0; start = end)
        {
            end = start;
            int first = used.Count == 0 ? 0 : used[start].Bucket;
            while (end < used.Count && used[end].Bucket == first + (end - start))
            {
                end++;
            }

            int span = buffer.Begin(PositiveSpan);
            buffer.WriteSigned(SpanOffset, first - last);
            buffer.WriteVarint(SpanLength, (ulong)(end - start));
            buffer.End(span);
            last = first + (end - start);
            if (used.Count == 0)
            {
                break;
            }
        }

        // Differences of counts modulo 2⁶⁴. The reader adds them modulo 2⁶⁴, too.
        int deltas = buffer.Begin(PositiveDelta);
        ulong before = 0;
        foreach ((_, ulong count) in used)
        {
            buffer.WriteSigned((long)(count - before));
            before = count;
        }

        buffer.End(deltas);
    }
}
