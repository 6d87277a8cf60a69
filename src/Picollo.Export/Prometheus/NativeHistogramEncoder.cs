namespace Picollo.Export;

/// <summary>Writes the fields of native histograms, and caches the bounds for each kind of histogram. Thread-safe.</summary>
internal sealed class NativeHistogramEncoder(int schema)
{
    // Field numbers of metrics.proto, by message.
    private const int Schema = 5, ZeroThreshold = 6, ZeroCount = 7, PositiveSpan = 12, PositiveDelta = 13;
    private const int SpanOffset = 1, SpanLength = 2;

    // 2^-128, as in Prometheus' own libraries. Prometheus 2.42 recognizes an empty histogram as a native one only by its threshold.
    private const double MinZeroThreshold = 2.938735877055719e-39;

    private readonly ExponentialBoundsCache _bounds = new(schema);

    public void Write(ProtobufBuffer buffer, PrometheusSeries series, CountsCopy copy, List<(int Bucket, ulong Count)> used)
    {
        ExponentialBounds bounds = _bounds.Of(series.Registration);
        buffer.WriteSigned(Schema, schema);
        buffer.WriteDouble(ZeroThreshold, Math.Max(MinZeroThreshold, series.Registration.ZeroThreshold));
        buffer.WriteVarint(ZeroCount, copy.Underflow + copy.SumOfUsed(0, bounds.ZeroEnd));
        bounds.ReadUsed(copy, used);

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
