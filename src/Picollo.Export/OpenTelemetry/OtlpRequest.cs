namespace Picollo.Export;

/// <summary>Writes the message <c>ExportMetricsServiceRequest</c>
/// (https://github.com/open-telemetry/opentelemetry-proto/tree/v1.5.0/opentelemetry/proto).</summary>
internal static class OtlpRequest
{
    // Field numbers, by message.
    private const int ResourceMetrics = 1, Resource = 1, ScopeMetrics = 2, ResourceAttributes = 1;
    private const int Scope = 1, ScopeName = 1, Metrics = 2;
    private const int MetricName = 1, MetricDescription = 2, MetricUnit = 3;
    private const int MetricGauge = 5, MetricSum = 7, MetricHistogram = 9, MetricExponentialHistogram = 10;
    private const int DataPoints = 1, Temporality = 2, IsMonotonic = 3;
    private const int PointAttributes = 1, StartTime = 2, Time = 3, Count = 4, Sum = 5, Scale = 6, ZeroCount = 7, Positive = 8;
    private const int Exemplars = 11, Min = 12, Max = 13, ZeroThreshold = 14;
    private const int ExplicitCounts = 6, ExplicitLimits = 7, ExplicitExemplars = 8, ExplicitAttributes = 9;
    private const int ExplicitMin = 11, ExplicitMax = 12;
    private const int ExemplarTime = 2, ExemplarValue = 3, ExemplarSpanId = 4, ExemplarTraceId = 5;
    private const int NumberValue = 4, NumberAttributes = 7; // StartTime and Time are equal
    private const int BucketOffset = 1, BucketCounts = 2;
    private const int Key = 1, Value = 2, StringValue = 1, IntValue = 3;
    private const ulong Delta = 1, Cumulative = 2;

    private const string StatusCode = "http.response.status_code";

    /// <summary>Writes data points, which must be sorted by metric name.</summary>
    public static void Write(
        ProtobufBuffer buffer, IReadOnlyDictionary<string, string> resource, ReadOnlySpan<OtlpPoint> points, bool isDelta)
    {
        buffer.Clear();
        int resourceMetrics = buffer.Begin(ResourceMetrics);
        int description = buffer.Begin(Resource);
        WriteAttributes(buffer, ResourceAttributes, resource);
        buffer.End(description);
        int scopeMetrics = buffer.Begin(ScopeMetrics);
        int scope = buffer.Begin(Scope);
        buffer.WriteText(ScopeName, "Picollo");
        buffer.End(scope);
        while (!points.IsEmpty)
        {
            OtlpMetric metric = points[0].Series.Metric;
            int count = 1;
            while (count < points.Length && points[count].Series.Metric == metric)
            {
                count++;
            }

            WriteMetric(buffer, metric, points[..count], isDelta);
            points = points[count..];
        }

        buffer.End(scopeMetrics);
        buffer.End(resourceMetrics);
    }

    private static void WriteMetric(ProtobufBuffer buffer, OtlpMetric metric, ReadOnlySpan<OtlpPoint> points, bool isDelta)
    {
        int message = buffer.Begin(Metrics);
        buffer.WriteText(MetricName, metric.Name);
        buffer.WriteText(MetricDescription, metric.Description);
        buffer.WriteText(MetricUnit, UnitOf(metric.Unit));
        int data = buffer.Begin(metric.Kind switch
        {
            OtlpKind.Histogram when points[0].Series.Histogram!.Value.Buckets is ExplicitBounds => MetricHistogram,
            OtlpKind.Histogram => MetricExponentialHistogram,
            OtlpKind.Gauge => MetricGauge,
            _ => MetricSum,
        });
        foreach (OtlpPoint point in points)
        {
            if (point.Series.Histogram is { Buckets: ExplicitBounds bounds, Registration: var registration })
            {
                WriteExplicit(buffer, point, bounds, registration.ZeroThreshold);
            }
            else if (metric.Kind == OtlpKind.Histogram)
            {
                WriteExponential(buffer, point);
            }
            else
            {
                WriteNumber(buffer, point);
            }
        }

        if (metric.Kind != OtlpKind.Gauge)
        {
            buffer.WriteVarint(Temporality, isDelta && metric.CanBeDelta ? Delta : Cumulative);
        }

        if (metric.Kind == OtlpKind.Counter)
        {
            buffer.WriteVarint(IsMonotonic, 1);
        }

        buffer.End(data);
        buffer.End(message);
    }

    private static void WriteNumber(ProtobufBuffer buffer, OtlpPoint point)
    {
        int message = buffer.Begin(DataPoints);
        if (point.Series.Metric.Kind != OtlpKind.Gauge)
        {
            buffer.WriteFixed64(StartTime, point.StartNanoseconds);
        }

        buffer.WriteFixed64(Time, point.TimeNanoseconds);
        buffer.WriteDouble(NumberValue, point.Values.Sum);
        WriteAttributes(buffer, NumberAttributes, point.Series.Attributes);
        buffer.End(message);
    }

    private static void WriteExplicit(ProtobufBuffer buffer, OtlpPoint point, ExplicitBounds bounds, double zeroThreshold)
    {
        OtlpReading values = point.Values;
        int message = BeginHistogram(buffer, ExplicitAttributes, point);
        int counts = buffer.Begin(ExplicitCounts);
        int next = 0;
        int zeros = bounds.BucketOf(zeroThreshold);
        for (int bucket = 0; bucket <= bounds.Values.Count; bucket++)
        {
            ulong count = bucket == zeros ? values.Zero : 0;
            count += next < values.Buckets.Length && values.Buckets[next].Bucket == bucket ? values.Buckets[next++].Count : 0;
            buffer.WriteFixed64(count);
        }

        buffer.End(counts);
        int limits = buffer.Begin(ExplicitLimits);
        foreach (double bound in bounds.Values)
        {
            buffer.WriteDouble(bound);
        }

        buffer.End(limits);
        WriteExemplars(buffer, ExplicitExemplars, point);
        WriteExtremes(buffer, values, ExplicitMin, ExplicitMax);
        buffer.End(message);
    }

    private static void WriteExponential(ProtobufBuffer buffer, OtlpPoint point)
    {
        OtlpReading values = point.Values;
        int message = BeginHistogram(buffer, PointAttributes, point);
        buffer.WriteSigned(Scale, OtlpBuckets.Scale);
        buffer.WriteFixed64(ZeroCount, values.Zero);
        if (values.Buckets.Length > 0)
        {
            WriteBuckets(buffer, values.Buckets);
        }

        WriteExemplars(buffer, Exemplars, point);
        WriteExtremes(buffer, values, Min, Max);
        buffer.WriteDouble(ZeroThreshold, point.Series.Histogram!.Value.Registration.ZeroThreshold);
        buffer.End(message);
    }

    /// <summary>Starts a data point of either kind of histogram, with the fields that have the same numbers in both.</summary>
    private static int BeginHistogram(ProtobufBuffer buffer, int attributesField, OtlpPoint point)
    {
        int message = buffer.Begin(DataPoints);
        WriteAttributes(buffer, attributesField, point.Series.Attributes);
        buffer.WriteFixed64(StartTime, point.StartNanoseconds);
        buffer.WriteFixed64(Time, point.TimeNanoseconds);
        buffer.WriteFixed64(Count, point.Values.Count);
        buffer.WriteDouble(Sum, point.Values.Sum);
        return message;
    }

    private static void WriteExtremes(ProtobufBuffer buffer, OtlpReading values, int minField, int maxField)
    {
        if (values.Extremes.Min is { } min)
        {
            buffer.WriteDouble(minField, min);
        }

        if (values.Extremes.Max is { } max)
        {
            buffer.WriteDouble(maxField, max);
        }
    }

    /// <summary>Writes the exemplars of a histogram's values within the time of the data point.</summary>
    private static void WriteExemplars(ProtobufBuffer buffer, int field, OtlpPoint point)
    {
        HdrHistogramRegistration registration = point.Series.Histogram!.Value.Registration;
        foreach (Exemplar exemplar in registration.OwnerFacts.Exemplars?.Invoke() ?? [])
        {
            ulong time = OtlpCollector.NanosecondsOf(exemplar.Time);
            if (time <= point.StartNanoseconds || time > point.TimeNanoseconds)
            {
                continue;
            }

            int message = buffer.Begin(field);
            buffer.WriteFixed64(ExemplarTime, time);
            buffer.WriteDouble(ExemplarValue, exemplar.Value / registration.Description.Unit.Ratio);
            buffer.WriteBytes(ExemplarSpanId, Convert.FromHexString(exemplar.SpanId));
            buffer.WriteBytes(ExemplarTraceId, Convert.FromHexString(exemplar.TraceId));
            buffer.End(message);
        }
    }

    private static void WriteBuckets(ProtobufBuffer buffer, (int Bucket, ulong Count)[] used)
    {
        int buckets = buffer.Begin(Positive);
        int next = used[0].Bucket;
        buffer.WriteSigned(BucketOffset, next - 1); // OpenTelemetry's indexes are smaller by 1
        int counts = buffer.Begin(BucketCounts);
        foreach ((int bucket, ulong count) in used)
        {
            for (; next < bucket; next++)
            {
                buffer.WriteUnsigned(0);
            }

            buffer.WriteUnsigned(count);
            next++;
        }

        buffer.End(counts);
        buffer.End(buckets);
    }

    private static void WriteAttributes(ProtobufBuffer buffer, int field, IEnumerable<KeyValuePair<string, string>> attributes)
    {
        foreach ((string key, string value) in attributes)
        {
            int attribute = buffer.Begin(field);
            buffer.WriteText(Key, key);
            int any = buffer.Begin(Value);

            // The only number among the conventions' attributes of Picollo's metrics. Registered labels are text.
            if (key == StatusCode && ulong.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out ulong number))
            {
                buffer.WriteVarint(IntValue, number);
            }
            else
            {
                buffer.WriteText(StringValue, value);
            }

            buffer.End(any);
            buffer.End(attribute);
        }
    }

    /// <summary>Converts Prometheus' names of base units to the UCUM codes that OpenTelemetry uses. Other units are kept.</summary>
    private static string UnitOf(string unit) => unit switch
    {
        "seconds" => "s",
        "bytes" => "By",
        "ratio" => "1",
        "meters" => "m",
        "celsius" => "Cel",
        "volts" => "V",
        "amperes" => "A",
        "joules" => "J",
        "grams" => "g",
        _ => unit,
    };
}
