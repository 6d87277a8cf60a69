using Picollo.Export;
using Picollo.Export.Tests;
using Picollo.Metrics;
using static Picollo.Fuzz.Tests.FuzzTargets;

namespace Picollo.Fuzz.Tests;

/// <summary>Data from and for monitoring systems.</summary>
internal static class ExpositionTargets
{
    private static readonly string[] Variables =
    [
        "OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=https://[::1]:1/a?b", "OTEL_METRIC_EXPORT_INTERVAL=60000",
        "OTEL_EXPORTER_OTLP_TIMEOUT=10000", "OTEL_EXPORTER_OTLP_HEADERS=api-key=a%20b,x=y", "OTEL_RESOURCE_ATTRIBUTES=service.name=a,b=%F0%9F%98%80",
        "OTEL_SERVICE_NAME=app", "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=lowmemory", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "OTEL_SDK_DISABLED=TRUE",
        "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "OTEL_EXPORTER_OTLP_CERTIFICATE=x", "OTEL_EXPORTER_OTLP_INSECURE=true",
        "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION=base2_exponential_bucket_histogram",
    ];

    public static FuzzTarget[] All { get; } =
    [
        new(
            "prometheus",
            () =>
            [
                FuzzSeed.Of("request.duration\tTime of requests\tseconds\troute\t/a/{id}\tmethod\tGET\nrequest.duration\tTime\t\troute\t/b"),
                FuzzSeed.Of("x_bucket\ta\\b\"c\t\tle\t1\t__name__\ty\nx\t\n\r\t_total\tquantile\t} 1\nx_sum\t# HELP a b\t\texported_le\tNaN\u2028\ufeff"),
            ],
            WriteExposition)
        {
            Documented = [typeof(ArgumentException)],
            ConstantBytes = 2_000_000,
            BytesPerByte = 3_000, // a line of two bytes is a family
            Longest = 4_000,
        },
        new(
            "accept-header",
            () =>
            [
                FuzzSeed.Of("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1"),
                FuzzSeed.Of("text/*; q = \"1\" , text/html"),
            ],
            input => 1 + (long)AcceptHeader.SelectFormat(Text(input))),
        new(
            "otlp-answer",
            () => [new([0x0A, 6, 0x08, 0x96, 0x01, 0x12, 1, (byte)'e']), new([0x1D, 1, 2, 3, 4, 0x21, 1, 2, 3, 4, 5, 6, 7, 8, 0x0A, 2, 0x08, 5])],
            input =>
            {
                _ = OtlpSender.TryReadRejected(input, out long rejected);
                return rejected;
            })
        {
            BytesPerByte = 0,
        },
        new(
            "grpc-details",
            () => [new(Convert.FromBase64String("CA4aMgoodHlwZS5nb29nbGVhcGlzLmNvbS9nb29nbGUucnBjLlJldHJ5SW5mbxIGCgQIBRBk"))],
            input => OtlpGrpc.RetryAfterOf(Convert.ToBase64String(input)) is { } wait ? 1 + Math.Abs(wait.Ticks / 2) : 0),
        new("otlp-variables", () => [FuzzSeed.Of(string.Join('\n', Variables))], ReadVariables) { BytesPerByte = 1000 },
    ];

    /// <summary>Writes an exposition. Each line is a histogram with its name, help, unit and labels. The strict parser rejects an invalid
    /// exposition.</summary>
    private static long WriteExposition(byte[] input)
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithRelativeError(0.1).WithMaxTrackableValue(10).Create();
        histogram.Record(3);
        HdrHistogramRegistration[] registrations =
        [
            .. Text(input).Split('\n').Take(50).Select(line => line.Split('\t')).Select(fields => new HdrHistogramRegistration(
                fields[0],
                histogram,
                HdrHistogramDescription.None with { Help = fields.ElementAtOrDefault(1) ?? "", Unit = new() { Name = fields.ElementAtOrDefault(2) ?? "" } },
                [.. fields.Skip(3).Chunk(2).Where(label => label.Length == 2).Select(label => KeyValuePair.Create(label[0], label[1]))])),
        ];
        (IReadOnlyList<ExpositionSeries> series, IReadOnlyList<string> omitted) = Expositions.Read(new PrometheusWriter(), registrations);
        Check(series.Count == registrations.Length - omitted.Count, "A histogram is neither in the exposition nor counted as omitted.");
        return series.Count;
    }

    private static long ReadVariables(byte[] input)
    {
        Dictionary<string, string> variables = [];
        foreach (string[] parts in Text(input).Split('\n').Select(line => line.Split('=', 2)).Where(parts => parts.Length == 2))
        {
            variables[parts[0]] = parts[1];
        }

        OtlpSettings settings = new(new OtlpExportOptions(), variables.GetValueOrDefault, "default");
        Check(settings.Interval > TimeSpan.Zero && settings.Timeout > TimeSpan.Zero, "A time is not positive.");
        Check(settings.EndpointText.Length > 0, "There is no endpoint.");
        using HttpRequestMessage request = new();
        Check(settings.Headers.All(header => request.Headers.TryAddWithoutValidation(header.Key, header.Value)), "A header cannot be sent.");
        return settings.Headers.Count + settings.Resource.Count;
    }
}
