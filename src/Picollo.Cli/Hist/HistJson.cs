using System.Text.Json;
using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>Formats results as one line of JSON (docs/schemas/picollo-hist.schema.json).</summary>
internal static class HistJson
{
    public static string Of(HistResult result) => JsonLine.Of(result.IsDiff ? "diff" : "summary", json =>
    {
        json.WriteString("unit", result.Unit);
        json.WriteNumber("skippedLineCount", result.SkippedLineCount);
        json.WriteBoolean("isInterrupted", result.IsInterrupted);
        if (!result.IsDiff)
        {
            WriteSummary(json, result, 0);
            return;
        }

        (HdrHistogramSummary before, HdrHistogramSummary after) = (result.Summaries[0], result.Summaries[1]);
        json.WriteNumberOrNull("effectSize", before.GetEffectSize(after));
        json.WriteNumberOrNull("meanChangePercent", before.Mean == 0 ? null : (after.Mean - before.Mean) / before.Mean * 100);
        for (int i = 0; i < 2; i++)
        {
            json.WriteStartObject(i == 0 ? "before" : "after");
            WriteSummary(json, result, i);
            json.WriteEndObject();
        }
    });

    private static void WriteSummary(Utf8JsonWriter json, HistResult result, int index)
    {
        HdrHistogramSummary summary = result.Summaries[index];
        json.WriteString("name", result.Inputs[index].Name);
        json.WriteNumber("count", summary.TotalCount);
        json.WriteNumber("outOfRangeCount", summary.OverflowCount);
        json.WriteNumber("mean", summary.Mean / result.Ratio);
        json.WriteNumber("standardDeviation", summary.StDev / result.Ratio);
        json.WriteNumber("relativeError", summary.RelativeError);
        json.WriteObjects("percentiles", PercentilesOf(summary), percentile =>
        {
            json.WriteNumber("percentile", percentile.Rank);
            if (result.Ratio == 1)
            {
                json.WriteNumber("value", percentile.Value);
            }
            else
            {
                json.WriteNumber("value", result.HasFractions
                    ? RoundNumber.In(percentile.Bucket, result.Ratio).Value
                    : percentile.Value / result.Ratio);
            }

            json.WriteNumber("cumulativeCount", percentile.TargetCount);
        });
    }

    private static IEnumerable<Percentile> PercentilesOf(HdrHistogramSummary summary) =>
        Enumerable.Range(0, HdrHistogramSummary.StandardRanks.Length).Select(summary.At);
}
