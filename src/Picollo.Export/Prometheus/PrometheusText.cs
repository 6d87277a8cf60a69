namespace Picollo.Export;

/// <summary>Writes the text formats: 0.0.4, and OpenMetrics 1.0.0, which can contain exemplars.</summary>
internal static class PrometheusText
{
    private const string Total = "_total";

    public static void Write(IBufferWriter<byte> output, IEnumerable<PrometheusSelected> all, bool isOpenMetrics)
    {
        Utf8Lines lines = new(output);
        foreach (PrometheusSelected selected in all)
        {
            using HdrHistogramCounts counts = selected.Counts;
            if (selected.IsFirstOfName)
            {
                WriteHeader(ref lines, selected.Series.Name, "histogram", selected.Series.Help, isOpenMetrics);
                if (isOpenMetrics && selected.Series.Unit is { } unit)
                {
                    lines.WriteText($"# UNIT {selected.Series.Name} {unit}\n");
                }
            }

            selected.Series.Write(ref lines, counts, hasExemplars: isOpenMetrics);
        }

        lines.Flush();
    }

    public static void WriteSamples(
        IBufferWriter<byte> output,
        string name,
        string help,
        bool isCounter,
        bool isOpenMetrics,
        IEnumerable<PrometheusSample> samples)
    {
        // In OpenMetrics, the suffix belongs to the samples of a counter and not to its name.
        string family = isCounter && isOpenMetrics && name.EndsWith(Total, StringComparison.Ordinal) ? name[..^Total.Length] : name;
        Utf8Lines lines = new(output);
        WriteHeader(ref lines, family, isCounter ? "counter" : "gauge", help, isOpenMetrics);
        foreach (PrometheusSample sample in samples)
        {
            string text = PrometheusNames.LabelsOf(sample.Labels);
            lines.WriteText(text.Length == 0 ? $"{name} " : $"{name}{{{text}}} ");
            lines.Reserve(Utf8Lines.NumberLength);
            lines.Write(sample.Value);
            lines.WriteText("\n");
        }

        lines.Flush();
    }

    // No string interpolation, because a scrape of many families would allocate a string for each.
    private static void WriteHeader(ref Utf8Lines lines, string name, string type, string help, bool isOpenMetrics)
    {
        ReadOnlySpan<string> parts =
            ["# HELP ", name, " ", PrometheusNames.EscapeHelp(help, isOpenMetrics), "\n# TYPE ", name, " ", type, "\n"];
        foreach (string part in parts)
        {
            lines.WriteText(part);
        }
    }
}
