namespace Picollo.Export;

/// <summary>Writes the fields of a native histogram, and remembers the bounds of each kind of histograms. Thread-safe.</summary>
internal sealed class NativeHistogramEncoder(int schema)
{
    // Field numbers of metrics.proto, by message.
    private const int Schema = 5, ZeroThreshold = 6, ZeroCount = 7, PositiveSpan = 12, PositiveDelta = 13;
    private const int SpanOffset = 1, SpanLength = 2;

    // 2^-128, as in Prometheus' own libraries. Prometheus 2.42 takes a histogram without values for a native one by its threshold alone.
    private const double LeastZeroThreshold = 2.938735877055719e-39;

    private readonly ExponentialBoundsCache _bounds = new(schema);

    public void Write(ProtobufBuffer buffer, PrometheusSeries series, CountsCopy copy, List<(int Bucket, ulong Count)> used)
    {
        ExponentialBounds bounds = _bounds.Of(series.Registration);
        buffer.WriteSigned(Schema, schema);
        buffer.WriteDouble(ZeroThreshold, Math.Max(LeastZeroThreshold, series.Registration.ZeroThreshold));
        buffer.WriteVarint(ZeroCount, copy.Underflow + copy.SumOfUsed(0, bounds.ZeroEnd));
        bounds.ReadUsed(copy, used);

        // A span, even of no buckets, is what makes the histogram a native one for later versions.
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

        // Differences of counts, modulo 2⁶⁴ as the reader adds them.
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
