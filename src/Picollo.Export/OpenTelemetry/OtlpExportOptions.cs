namespace Picollo.Export;

/// <summary>The options of an <see cref="OtlpExporter"/>. If a property is <see langword="null"/>, its environment variable applies
/// (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). If the variable is not set, the default applies.</summary>
/// <remarks>The options are copied when an exporter starts; later changes do not affect it. Not thread-safe while an option is being
/// changed. Variables <c>OTEL_EXPORTER_OTLP_METRICS_…</c> take precedence over <c>OTEL_EXPORTER_OTLP_…</c>. A variable with an invalid
/// value is reported to <see cref="OnError"/> and ignored.</remarks>
public sealed class OtlpExportOptions
{
    /// <summary>The complete address with its path, such as <c>http://collector:4318/v1/metrics</c>. Variables:
    /// <c>OTEL_EXPORTER_OTLP_METRICS_ENDPOINT</c>, or <c>OTEL_EXPORTER_OTLP_ENDPOINT</c>, to which <c>/v1/metrics</c> is appended. Default:
    /// <c>http://localhost:4318/v1/metrics</c>. With gRPC, the path is not used, and the default is <c>http://localhost:4317</c>. Variables
    /// for gRPC can omit the scheme, such as <c>collector:4317</c>: it is then <c>https</c>, or <c>http</c> if
    /// <c>OTEL_EXPORTER_OTLP_INSECURE</c> is <c>true</c>.</summary>
    public Uri? Endpoint { get; set; }

    /// <summary>Whether the protocol is gRPC, over HTTP/2 with or without TLS, and not HTTP with protobuf. Variable:
    /// <c>OTEL_EXPORTER_OTLP_PROTOCOL</c>, which can be <c>grpc</c> or <c>http/protobuf</c>. Default: <see langword="false"/>.</summary>
    public bool? UseGrpc { get; set; }

    /// <summary>The headers of each request, such as credentials, in addition to <c>OTEL_EXPORTER_OTLP_HEADERS</c>. Errors do not contain
    /// their values.</summary>
    public IDictionary<string, string> Headers { get; } = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>The attributes of the resource to which all series belong, in addition to <c>OTEL_SERVICE_NAME</c> and
    /// <c>OTEL_RESOURCE_ATTRIBUTES</c>. By default, <c>service.name</c> is <c>unknown_service:</c> with the name of the process, and
    /// <c>service.instance.id</c> is random. Processes with equal attributes would overwrite each other's series.</summary>
    public IDictionary<string, string> ResourceAttributes { get; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>The time between two exports: 1 ms to 49 days. Variable: <c>OTEL_METRIC_EXPORT_INTERVAL</c>, in milliseconds. Default: one
    /// minute.</summary>
    public TimeSpan? Interval { get; set; }

    /// <summary>The time limit of each request: 1 ms to 49 days. Variable: <c>OTEL_EXPORTER_OTLP_TIMEOUT</c>, in milliseconds. Default: 10
    /// seconds.</summary>
    public TimeSpan? Timeout { get; set; }

    /// <summary>Whether each export has the values since the last export that the receiver accepted, and not all values since the start of
    /// the series (https://opentelemetry.io/docs/specs/otel/metrics/data-model/#temporality). Variable:
    /// <c>OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE</c>, which can be <c>cumulative</c>, <c>delta</c> or <c>lowmemory</c>. The last
    /// two are equivalent. Default: <see langword="false"/>.</summary>
    public bool? UseDeltaTemporality { get; set; }

    /// <summary>Whether metrics are left out whose names are in a namespace of the semantic conventions
    /// (https://opentelemetry.io/docs/specs/semconv/), such as <c>http.server.request.duration</c> or <c>process.cpu.time</c>. Set it if
    /// another exporter of the process sends them to the same receiver. The histograms of
    /// <c>Picollo.Diagnostics</c> with the prefix <c>dotnet.</c> are not left out. Default: <see langword="false"/>; in an ASP.NET Core
    /// application, <see langword="true"/> if its services contain a <c>MeterProvider</c> of the OpenTelemetry SDK.</summary>
    public bool? ExcludeConventionMetrics { get; set; }

    /// <summary>Whether requests are compressed with gzip. Not all receivers support it. Variable: <c>OTEL_EXPORTER_OTLP_COMPRESSION</c>,
    /// which can be <c>gzip</c> or <c>none</c>. Default: <see langword="false"/>.</summary>
    public bool? UseGzip { get; set; }

    /// <summary>Whether histograms are exponential, with buckets that are 2.2 % wide, and not histograms with explicit bounds, which all
    /// receivers support. Variable: <c>OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION</c>, which can be
    /// <c>base2_exponential_bucket_histogram</c> or <c>explicit_bucket_histogram</c>. Default: <see langword="false"/>.</summary>
    public bool? UseExponentialHistograms { get; set; }

    /// <summary>The explicit bounds by the name of the histogram, in the unit of its description, such as seconds. They are inclusive,
    /// finite and ascending. The bounds of other histograms are those of OpenTelemetry's conventions for <c>http.…</c>, 5 ms to 10 s; a
    /// microsecond to 100 s for other times; 64 bytes to 1 GiB for sizes; and 0 to 10,000 for other units.</summary>
    public IDictionary<string, IReadOnlyList<double>> ExplicitBounds { get; } =
        new Dictionary<string, IReadOnlyList<double>>(StringComparer.Ordinal);

    /// <summary>The callback for errors. It receives an <see cref="HttpRequestException"/> for each failed export, a
    /// <see cref="TimeoutException"/> for each export that reached its time limit and, while the exporter starts, an
    /// <see cref="ArgumentException"/> for each ignored environment variable. It is called on a thread of the thread pool.
    /// Exceptions that it throws are ignored.</summary>
    public Action<Exception>? OnError { get; set; }

    /// <summary>The time provider; <see cref="System.TimeProvider.System"/> by default.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public TimeProvider TimeProvider
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = TimeProvider.System;
}
