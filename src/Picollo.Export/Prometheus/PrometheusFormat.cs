namespace Picollo.Export;

/// <summary>The format of an exposition. <see cref="PrometheusWriter.SelectFormat"/> returns the format that a client prefers.</summary>
public enum PrometheusFormat
{
    /// <summary>Text 0.0.4, which all clients can read
    /// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).</summary>
    Text,

    /// <summary>OpenMetrics text 1.0.0, which can contain exemplars. Prometheus prefers it to <see cref="Text"/>
    /// (https://prometheus.io/docs/specs/om/open_metrics_spec/).</summary>
    OpenMetrics,

    /// <summary>Protobuf, with native histograms: one series per histogram, with narrower buckets. Histograms have exemplars, and the
    /// time of their creation or last reset. Prometheus requests it with <c>scrape_native_histograms: true</c> in its configuration
    /// (from version 3.8 on), or with the argument <c>--enable-feature=native-histograms</c> (2.40 to 3.8; ignored from 3.9 on). See
    /// https://prometheus.io/docs/specs/native_histograms/.</summary>
    Protobuf,
}

/// <summary>Selects a format from the header <c>Accept</c> (RFC 9110, section 12.5.1).</summary>
internal static class AcceptHeader
{
    private const string ProtobufType = "application/vnd.google.protobuf";
    private const string MessageType = "io.prometheus.client.MetricFamily";
    private const string OpenMetricsType = "application/openmetrics-text";
    private const string OpenMetricsVersion = "1.0.0";
    private const string TextType = "text/plain";
    private const string TextVersion = "0.0.4";

    public static string GetContentType(PrometheusFormat format) => format switch
    {
        PrometheusFormat.Text => $"{TextType}; version={TextVersion}; charset=utf-8",
        PrometheusFormat.OpenMetrics => $"{OpenMetricsType}; version={OpenMetricsVersion}; charset=utf-8",
        PrometheusFormat.Protobuf => $"{ProtobufType}; proto={MessageType}; encoding=delimited",
        _ => throw new ArgumentOutOfRangeException(nameof(format), format, "The format must be a value of PrometheusFormat."),
    };

    /// <summary>Returns the format with the highest quality, or the first of several in the header. Returns the text format if the header
    /// names none.</summary>
    public static PrometheusFormat SelectFormat(string? accept)
    {
        string[][] ranges =
            [.. (accept ?? "").Split(',').Select(range => range.Split(';', StringSplitOptions.TrimEntries))];

        // A wildcard does not apply to a format that the header names. Prometheus 2.49.0 sends */* with the highest quality.
        bool namesText = ranges.Any(IsText);
        PrometheusFormat best = PrometheusFormat.Text;
        double bestQuality = 0;
        foreach (string[] parts in ranges)
        {
            if (FormatOf(parts, namesText) is { } format && QualityOf(parts) is var quality && quality > bestQuality)
            {
                (best, bestQuality) = (format, quality);
            }
        }

        return best;
    }

    private static PrometheusFormat? FormatOf(string[] parts, bool namesText) =>
        Is(parts[0], ProtobufType) && ValueOf(parts, "proto") is { } message && Is(message, MessageType)
            && ValueOf(parts, "encoding") is { } encoding && Is(encoding, "delimited") ? PrometheusFormat.Protobuf
        : Is(parts[0], OpenMetricsType) && (ValueOf(parts, "version") ?? OpenMetricsVersion) == OpenMetricsVersion
            ? PrometheusFormat.OpenMetrics
        : IsText(parts) || (!namesText && parts[0] is "text/*" or "*/*") ? PrometheusFormat.Text
        : null;

    private static bool IsText(string[] parts) =>
        Is(parts[0], TextType) && (ValueOf(parts, "version") ?? TextVersion) == TextVersion;

    // An invalid quality is treated as a missing one.
    private static double QualityOf(string[] parts) =>
        ValueOf(parts, "q") is { } text && double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double quality)
            ? quality
            : 1;

    private static string? ValueOf(string[] parts, string name)
    {
        foreach (string part in parts.AsSpan(1))
        {
            int equals = part.IndexOf('=', StringComparison.Ordinal);
            if (equals > 0 && Is(part[..equals].TrimEnd(), name))
            {
                return part[(equals + 1)..].Trim().Trim('"');
            }
        }

        return null;
    }

    private static bool Is(string a, string b) => string.Equals(a, b, StringComparison.OrdinalIgnoreCase);
}
