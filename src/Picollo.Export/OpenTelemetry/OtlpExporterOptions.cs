namespace Picollo.Export;

/// <summary>Whether exported values count from the start of a series or from the previous export
/// (https://opentelemetry.io/docs/specs/otel/metrics/data-model/#temporality).</summary>
public enum OtlpTemporality
{
    /// <summary>Each export has all values since the start of the series. A lost export costs resolution, not values.</summary>
    Cumulative,

    /// <summary>Each export has the values since the last export that the receiver accepted.</summary>
    Delta,
}

/// <summary>The options of an <see cref="OtlpExporter"/>. A property that is <see langword="null"/> has the value of its environment
/// variable (https://opentelemetry.io/docs/specs/otel/protocol/exporter/), or else the default.</summary>
/// <remarks>Copied when an exporter is created; later changes do not affect it. Not thread-safe while it is changed. For each variable
/// <c>OTEL_EXPORTER_OTLP_…</c>, <c>OTEL_EXPORTER_OTLP_METRICS_…</c> has precedence. A variable with an invalid value is reported to
/// <see cref="OnError"/> and ignored.</remarks>
public sealed class OtlpExporterOptions
{
    /// <summary>The complete address, with its path, such as <c>http://collector:4318/v1/metrics</c>.
    /// <c>OTEL_EXPORTER_OTLP_METRICS_ENDPOINT</c>, or <c>OTEL_EXPORTER_OTLP_ENDPOINT</c> with <c>/v1/metrics</c> after it;
    /// <c>http://localhost:4318/v1/metrics</c> by default.</summary>
    public Uri? Endpoint { get; set; }

    /// <summary>Headers of each request, such as credentials; in addition to <c>OTEL_EXPORTER_OTLP_HEADERS</c>. Their values appear in no
    /// error.</summary>
    public IDictionary<string, string> Headers { get; } = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

    /// <summary>Attributes of the resource that all series belong to, in addition to <c>OTEL_SERVICE_NAME</c> and
    /// <c>OTEL_RESOURCE_ATTRIBUTES</c>. By default, <c>service.name</c> is <c>unknown_service:</c> with the name of the process, and
    /// <c>service.instance.id</c> is random: processes with equal attributes would overwrite each other's series.</summary>
    public IDictionary<string, string> ResourceAttributes { get; } = new Dictionary<string, string>(StringComparer.Ordinal);

    /// <summary>The time from one export to the next: 1 ms to 49 days. <c>OTEL_METRIC_EXPORT_INTERVAL</c>, in milliseconds; a minute by
    /// default.</summary>
    public TimeSpan? Interval { get; set; }

    /// <summary>The time limit of each request: 1 ms to 49 days. <c>OTEL_EXPORTER_OTLP_TIMEOUT</c>, in milliseconds; 10 seconds by
    /// default.</summary>
    public TimeSpan? Timeout { get; set; }

    /// <summary>The temporality. <c>OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE</c>: <c>cumulative</c>, the default, or <c>delta</c>
    /// or <c>lowmemory</c>, which are the same for histograms.</summary>
    public OtlpTemporality? Temporality { get; set; }

    /// <summary>Whether requests are compressed with gzip. <c>OTEL_EXPORTER_OTLP_COMPRESSION</c>: <c>gzip</c> or <c>none</c>;
    /// <see langword="true"/> by default.</summary>
    public bool? UseGzip { get; set; }

    /// <summary>Receives the error of each failed export, an <see cref="HttpRequestException"/>, and, while the exporter is created, an
    /// <see cref="ArgumentException"/> for each variable that is ignored. Called on a thread of the pool. Exceptions that it throws are
    /// ignored.</summary>
    public Action<Exception>? OnError { get; set; }

    /// <summary>The clock and timer; the system's unless set.</summary>
    /// <exception cref="ArgumentNullException">The value is <see langword="null"/>.</exception>
    public TimeProvider TimeProvider
    {
        get;
        set => field = value ?? throw new ArgumentNullException(nameof(value));
    } = TimeProvider.System;
}
