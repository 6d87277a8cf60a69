namespace Picollo.Export.Tests;

/// <summary>A histogram of a protobuf exposition, decoded by its field numbers in metrics.proto.</summary>
internal sealed record NativeHistogram(
    string Name,
    string Help,
    IReadOnlyList<(string Name, string Value)> Labels,
    ulong Count,
    double Sum,
    IReadOnlyList<(double Bound, ulong Count)> Classic,
    int Schema,
    double ZeroThreshold,
    ulong ZeroCount,
    int Spans,
    SortedDictionary<int, ulong> Buckets)
{
    public static IReadOnlyList<NativeHistogram> Of(PrometheusWriter writer, params HdrHistogramRegistration[] registrations)
    {
        ArrayBufferWriter<byte> output = new();
        writer.WriteHistograms(output, PrometheusFormat.Protobuf, registrations);
        return [.. ProtobufMessage.Delimited(output.WrittenSpan).Where(family => family.Text(1) != "picollo_omitted_histograms").SelectMany(Read)];
    }

    public static NativeHistogram Of(HdrHistogram histogram, int schema = 5, double ratio = 1) => Of(
        new PrometheusWriter(schema: schema),
        new HdrHistogramRegistration("x", histogram, new() { Unit = new() { Ratio = ratio } })).Single();

    private static IEnumerable<NativeHistogram> Read(ProtobufMessage family)
    {
        const ulong Histogram = 4;
        family.Number(3).Should().Be(Histogram);
        foreach (ProtobufMessage metric in family.Messages(4))
        {
            ProtobufMessage histogram = metric.Message(7);
            SortedDictionary<int, ulong> buckets = [];
            long[] deltas = histogram.PackedSigned(13);
            (int next, int delta, ulong count) = (0, 0, 0);
            ProtobufMessage[] spans = [.. histogram.Messages(12)];
            foreach (ProtobufMessage span in spans)
            {
                next += (int)span.Signed(1);
                for (ulong i = 0; i < span.Number(2); i++)
                {
                    count += (ulong)deltas[delta++];
                    buckets.Add(next++, count);
                }
            }

            delta.Should().Be(deltas.Length);
            yield return new(
                family.Text(1),
                family.Text(2),
                [.. metric.Messages(1).Select(label => (label.Text(1), label.Text(2)))],
                histogram.Number(1),
                histogram.Double(2),
                [.. histogram.Messages(3).Select(bucket => (bucket.Double(2), bucket.Number(1)))],
                (int)histogram.Signed(5),
                histogram.Double(6),
                histogram.Number(7),
                spans.Length,
                buckets);
        }
    }
}
