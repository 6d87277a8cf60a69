using System.Text;

namespace Picollo.Export;

/// <summary>Names and labels in the form that Prometheus takes (https://prometheus.io/docs/concepts/data_model/).</summary>
internal static class PrometheusNames
{
    /// <summary>A metric's name, with its unit at the end: letters, digits and underscores, no digit first. The colon, which the
    /// rule allows, is kept for recording rules.</summary>
    public static string NameOf(string name, string unit)
    {
        string clean = Clean(name);
        string suffix = SuffixOf(unit);
        return unit.Length == 0 || clean.EndsWith(suffix, StringComparison.Ordinal) || clean == suffix[1..] ? clean : clean + suffix;
    }

    /// <summary>The suffix of a name with a unit.</summary>
    public static string SuffixOf(string unit) => "_" + string.Concat(unit.EnumerateRunes().Select(CleanRune));

    /// <summary>The name of a histogram whose lines would have a name: x for x_bucket, x_sum and x_count, else null.</summary>
    public static string? OwnerOf(string name)
    {
        int end = name.LastIndexOf('_');
        return end > 0 && name[end..] is "_bucket" or "_sum" or "_count" ? name[..end] : null;
    }

    /// <summary>Labels as they stand between braces (<see cref="PairsOf"/>); empty where there are none.</summary>
    public static string LabelsOf(IReadOnlyList<KeyValuePair<string, string>> labels) =>
        string.Join(',', PairsOf(labels).Select(label => $"{label.Key}=\"{EscapeValue(label.Value)}\""));

    /// <summary>
    /// Labels with the names that they have in an exposition, in their ordinal order. A name that Prometheus uses itself gets
    /// <c>exported_</c> before it, as its own scraper has it. Where names become equal the values are joined by semicolons in the order of
    /// the labels, which is OpenTelemetry's rule (https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/). An
    /// empty value is no label.
    /// </summary>
    public static IEnumerable<KeyValuePair<string, string>> PairsOf(IReadOnlyList<KeyValuePair<string, string>> labels)
    {
        SortedDictionary<string, string> values = new(StringComparer.Ordinal);
        foreach ((string key, string value) in labels)
        {
            string name = LabelName(key);
            values[name] = values.TryGetValue(name, out string? before) ? $"{before};{value}" : value;
        }

        return values.Where(label => label.Value.Length > 0);
    }

    /// <summary>Text for a help line or a comment: backslashes and line feeds are escaped, and in OpenMetrics also quotes.</summary>
    public static string EscapeHelp(string text, bool isOpenMetrics = false)
    {
        string escaped = text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\n", "\\n", StringComparison.Ordinal);
        return isOpenMetrics ? EscapeQuotes(escaped) : escaped;
    }

    // Halves of surrogate pairs, which have no place in UTF-8, are replaced here already and not by the encoder: two texts that
    // become the same are seen to be.
    private static string EscapeValue(string value) =>
        EscapeQuotes(EscapeHelp(string.Concat(value.EnumerateRunes().Select(rune => rune.ToString()))));

    private static string EscapeQuotes(string text) => text.Replace("\"", "\\\"", StringComparison.Ordinal);

    private static string LabelName(string key)
    {
        string name = Clean(key);
        return name == "le" || name.StartsWith("__", StringComparison.Ordinal) ? "exported_" + name : name;
    }

    private static string Clean(string name)
    {
        string clean = string.Concat(name.EnumerateRunes().Select(CleanRune));
        return char.IsAsciiDigit(clean[0]) ? "_" + clean : clean;
    }

    private static char CleanRune(Rune rune) => rune.IsAscii && char.IsAsciiLetterOrDigit((char)rune.Value) ? (char)rune.Value : '_';
}
