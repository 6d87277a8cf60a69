namespace Picollo.TestKit;

/// <summary>A data point of a histogram, a sum or a gauge, decoded by the field numbers of opentelemetry-proto.</summary>
internal sealed record OtlpDataPoint(
    string Metric,
    string Description,
    string Unit,
    ulong Temporality,
    IReadOnlyDictionary<string, string> Resource,
    IReadOnlyDictionary<string, string> Attributes,
    ulong StartTime,
    ulong Time,
    ulong Count,
    double Sum,
    int Scale,
    ulong ZeroCount,
    double ZeroThreshold,
    double? Min,
    double? Max,
    SortedDictionary<int, ulong> Buckets)
{
    /// <summary>The kind of the metric: <c>histogram</c>, or one whose value is in <see cref="Sum"/>: <c>counter</c>,
    /// <c>up-down counter</c> or <c>gauge</c>, which has the temporality 0.</summary>
    public string Kind { get; private init; } = "histogram";

    public bool IsCounter => Kind == "counter";

    public IReadOnlyList<(ulong Time, double Value, string SpanId, string TraceId)> Exemplars { get; private init; } = [];

    /// <summary>The bounds of a histogram that is not exponential; null for other points.</summary>
    public IReadOnlyList<double>? Bounds { get; private init; }

    /// <summary>Reads the data points of an <c>ExportMetricsServiceRequest</c>.</summary>
    public static IReadOnlyList<OtlpDataPoint> Read(ReadOnlySpan<byte> request) =>
    [
        .. from resource in new ProtobufMessage(request).Messages(1)
           from scope in resource.Messages(2)
           from metric in scope.Messages(2)
           from point in metric.Has(10) ? metric.Message(10).Messages(1).Select(point => Of(resource.Message(1), metric, point))
               : metric.Has(9) ? metric.Message(9).Messages(1).Select(point => OfExplicit(resource.Message(1), metric, point))
               : metric.Message(metric.Has(7) ? 7 : 5).Messages(1).Select(point => OfNumber(resource.Message(1), metric, point))
           select point,
    ];

    private static OtlpDataPoint OfNumber(ProtobufMessage resource, ProtobufMessage metric, ProtobufMessage point) => new(
        metric.Text(1),
        metric.Text(2),
        metric.Text(3),
        metric.Has(7) ? metric.Message(7).Number(2) : 0,
        AttributesOf(resource, 1),
        AttributesOf(point, 7),
        point.Has(2) ? point.Number(2) : 0,
        point.Number(3),
        0,
        point.Has(4) ? point.Double(4) : (long)point.Number(6),
        0,
        0,
        0,
        null,
        null,
        [])
    {
        Kind = metric.Has(5) ? "gauge" : metric.Message(7).Has(3) && metric.Message(7).Number(3) == 1 ? "counter" : "up-down counter",
    };

    private static OtlpDataPoint OfExplicit(ProtobufMessage resource, ProtobufMessage metric, ProtobufMessage point) => new(
        metric.Text(1),
        metric.Text(2),
        metric.Text(3),
        metric.Message(9).Number(2),
        AttributesOf(resource, 1),
        AttributesOf(point, 9),
        point.Number(2),
        point.Number(3),
        point.Number(4),
        point.Double(5),
        0,
        0,
        0,
        point.Has(11) ? point.Double(11) : null,
        point.Has(12) ? point.Double(12) : null,
        new(point.Packed(6).Index().Where(bucket => bucket.Item > 0).ToDictionary(bucket => bucket.Index, bucket => bucket.Item)))
    {
        Exemplars = ExemplarsOf(point, 8),
        Bounds = [.. point.Packed(7).Select(BitConverter.UInt64BitsToDouble)],
    };

    private static OtlpDataPoint Of(ProtobufMessage resource, ProtobufMessage metric, ProtobufMessage point)
    {
        SortedDictionary<int, ulong> buckets = [];
        if (point.Has(8))
        {
            ProtobufMessage positive = point.Message(8);
            int next = positive.Has(1) ? (int)positive.Signed(1) : 0;
            foreach (ulong count in positive.PackedNumbers(2))
            {
                if (count > 0)
                {
                    buckets.Add(next, count);
                }

                next++;
            }
        }

        return new(
            metric.Text(1),
            metric.Text(2),
            metric.Text(3),
            metric.Message(10).Number(2),
            AttributesOf(resource, 1),
            AttributesOf(point, 1),
            point.Number(2),
            point.Number(3),
            point.Number(4),
            point.Double(5),
            point.Has(6) ? (int)point.Signed(6) : 0,
            point.Has(7) ? point.Number(7) : 0,
            point.Has(14) ? point.Double(14) : 0,
            point.Has(12) ? point.Double(12) : null,
            point.Has(13) ? point.Double(13) : null,
            buckets)
        {
            Exemplars = ExemplarsOf(point, 11),
        };
    }

    private static (ulong Time, double Value, string SpanId, string TraceId)[] ExemplarsOf(ProtobufMessage point, int field) =>
        [.. point.Messages(field).Select(exemplar => (exemplar.Number(2), exemplar.Double(3), exemplar.Hex(4), exemplar.Hex(5)))];

    // An integer is the field 3. The type of an attribute is part of its identity, so integers have a prefix.
    private static Dictionary<string, string> AttributesOf(ProtobufMessage message, int field) =>
        message.Messages(field).ToDictionary(attribute => attribute.Text(1), attribute => attribute.Message(2) is var value && value.Has(3)
            ? $"int {(long)value.Number(3)}"
            : value.Text(1));
}
