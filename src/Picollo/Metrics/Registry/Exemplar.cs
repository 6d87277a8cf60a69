namespace Picollo.Metrics;

/// <summary>A recorded value and the trace that it belongs to (https://prometheus.io/docs/specs/om/open_metrics_spec/#exemplars).</summary>
/// <param name="Value">The recorded value.</param>
/// <param name="Time">The time of the record.</param>
/// <param name="TraceId">The trace ID: 32 hexadecimal digits (W3C Trace Context).</param>
/// <param name="SpanId">The span ID: 16 hexadecimal digits.</param>
internal readonly record struct Exemplar(ulong Value, DateTimeOffset Time, string TraceId, string SpanId)
{
    /// <summary>The label of the trace ID, as OpenTelemetry defines it for Prometheus.</summary>
    public const string TraceIdLabel = "trace_id";

    /// <summary>The label of the span ID.</summary>
    public const string SpanIdLabel = "span_id";
}
