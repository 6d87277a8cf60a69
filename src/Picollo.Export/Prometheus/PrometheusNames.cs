namespace Picollo.Export;

/// <summary>Converts names and labels to the form that Prometheus requires (https://prometheus.io/docs/concepts/data_model/).</summary>
internal static class PrometheusNames
{
    /// <summary>Returns the name of a metric with its unit as a suffix. It consists of letters, digits and underscores, and does not start
    /// with a digit. Prometheus allows colons, but reserves them for recording rules. A unit in braces, such as <c>{request}</c>, is an
    /// annotation and not a suffix.</summary>
    public static string NameOf(string name, string unit)
    {
        string clean = Clean(name);
        string suffix = SuffixOf(unit);
        bool hasUnit = unit is not ("" or ['{', .., '}']);
        return hasUnit && !clean.EndsWith(suffix, StringComparison.Ordinal) && clean != suffix[1..] ? clean + suffix : clean;
    }

    public static string SuffixOf(string unit) => "_" + string.Concat(unit.EnumerateRunes().Select(CleanRune));

    /// <summary>Returns the name of the histogram that has lines with a name: x for x_bucket, x_sum, x_count and x_created; otherwise,
    /// null.</summary>
    public static string? OwnerOf(string name)
    {
        int end = name.LastIndexOf('_');
        return end > 0 && name[end..] is "_bucket" or "_sum" or "_count" or "_created" ? name[..end] : null;
    }

    /// <summary>Returns the name of a histogram and those of its lines. OpenMetrics also reserves the line _created.</summary>
    public static string[] LinesOf(string name) => [name, name + "_bucket", name + "_sum", name + "_count", name + "_created"];

    /// <summary>Returns the names that no other metric may have because of a counter. OpenMetrics also reserves _created.</summary>
    /// <param name="name">The exported name without the suffix <c>_total</c>.</param>
    public static string[] LinesOfCounter(string name) => [name, name + "_total", name + "_created"];

    /// <summary>Returns the text of labels between braces (<see cref="PairsOf"/>); empty if there are no labels.</summary>
    public static string LabelsOf(IReadOnlyList<KeyValuePair<string, string>> labels) =>
        string.Join(',', PairsOf(labels).Select(label => $"{label.Key}=\"{EscapeValue(label.Value)}\""));

    /// <summary>
    /// Returns labels with their exported names, in ordinal order. Names that Prometheus reserves get the prefix <c>exported_</c>, as in
    /// its scraper. If several labels get the same name, their values are joined by semicolons in the order of the labels, as OpenTelemetry
    /// specifies (https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/). Labels with empty values are
    /// omitted.
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

    /// <summary>Escapes text for a help line or a comment: backslashes and line feeds and, in OpenMetrics, quotes.</summary>
    public static string EscapeHelp(string text, bool isOpenMetrics = false)
    {
        string escaped = text.Replace("\\", "\\\\", StringComparison.Ordinal).Replace("\n", "\\n", StringComparison.Ordinal);
        return isOpenMetrics ? EscapeQuotes(escaped) : escaped;
    }

    // Lone surrogates, which UTF-8 cannot encode, are replaced here instead of in the encoder, so that texts that become equal are
    // detected.
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
