namespace Picollo.Export;

/// <summary>The format of an exposition. <see cref="PrometheusWriter.FormatOf"/> returns the format that a client prefers.</summary>
public enum PrometheusFormat
{
    /// <summary>Text 0.0.4, which all clients can read
    /// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).</summary>
    Text,

    /// <summary>OpenMetrics text 1.0.0, which can contain exemplars. Prometheus prefers it to <see cref="Text"/>
    /// (https://prometheus.io/docs/specs/om/open_metrics_spec/).</summary>
    OpenMetrics,

    /// <summary>Protobuf, with native histograms: one series per histogram, with narrower buckets. Prometheus 2 reads it with
    /// <c>--enable-feature=native-histograms</c> (https://prometheus.io/docs/specs/native_histograms/).</summary>
    Protobuf,
}
