using System.Text.Json;
using Picollo.Cli.Shell;
using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>The results as one line of JSON, which docs/schemas/picollo-hist.schema.json describes.</summary>
internal static class HistJson
{
    public static string OfSummary(HistResult result) => JsonLine.Of(json =>
    {
        json.WriteString("kind", "summary");
        WriteCommon(json, result);
        WriteSummary(json, result.Inputs[0], result.Summaries[0], result.Ratio);
    });

    public static string OfDiff(HistResult result) => JsonLine.Of(json =>
    {
        (HdrHistogramSummary before, HdrHistogramSummary after) = (result.Summaries[0], result.Summaries[1]);
        json.WriteString("kind", "diff");
        WriteCommon(json, result);
        json.WriteNumberOrNull("effectSize", before.GetEffectSize(after));
        json.WriteNumberOrNull("meanChangePercent", Change(before.Mean, after.Mean));
        for (int i = 0; i < 2; i++)
        {
            json.WriteStartObject(i == 0 ? "before" : "after");
            WriteSummary(json, result.Inputs[i], result.Summaries[i], result.Ratio);
            json.WriteEndObject();
        }
    });

    private static void WriteCommon(Utf8JsonWriter json, HistResult result)
    {
        json.WriteString("unit", result.Unit);
        json.WriteNumber("skippedLineCount", result.SkippedLineCount);
        json.WriteBoolean("isInterrupted", result.IsInterrupted);
    }

    private static void WriteSummary(Utf8JsonWriter json, Distribution input, HdrHistogramSummary summary, double ratio)
    {
        json.WriteString("name", input.Name);
        json.WriteNumber("count", summary.TotalCount);
        json.WriteNumber("outOfRangeCount", summary.OverflowCount);
        json.WriteNumber("mean", summary.Mean / ratio);
        json.WriteNumber("standardDeviation", summary.StDev / ratio);
        json.WriteNumber("relativeError", summary.RelativeError);
        json.WriteStartArray("percentiles");
        foreach (Percentile percentile in PercentilesOf(summary))
        {
            json.WriteStartObject();
            json.WriteNumber("percentile", percentile.Rank);
            if (ratio == 1)
            {
                json.WriteNumber("value", percentile.Value);
            }
            else
            {
                json.WriteNumber("value", percentile.Value / ratio);
            }

            json.WriteNumber("cumulativeCount", percentile.TargetCount);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static Percentile[] PercentilesOf(HdrHistogramSummary summary) =>
    [
        summary.P0, summary.P1, summary.P5, summary.P10, summary.P25, summary.P50, summary.P75, summary.P90, summary.P925,
        summary.P95, summary.P975, summary.P99, summary.P999, summary.P9999, summary.P99999, summary.P100,
    ];

    private static double Change(double before, double after) => before == 0 ? double.NaN : (after - before) / before * 100;
}
