using System.Text.Json.Nodes;
using System.Text.Json.Serialization;
using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>Formats results as one line of JSON (docs/schemas/picollo-hist.schema.json).</summary>
internal static class HistJson
{
    public static string Format(HistResult result)
    {
        if (!result.IsDiff)
        {
            return ToolJson.Line(
                SummaryOf(result, 0) with
                {
                    Kind = "summary",
                    Unit = result.Unit,
                    SkippedLineCount = result.SkippedLineCount,
                    IsInterrupted = result.IsInterrupted,
                },
                HistJsonContext.Default.HistSummaryLine);
        }

        (HdrHistogramSummary before, HdrHistogramSummary after) = (result.Summaries[0], result.Summaries[1]);
        HistDiffLine line = new(
            "diff", result.Unit, result.SkippedLineCount, result.IsInterrupted, ToolJson.Finite(before.GetEffectSize(after)),
            before.Mean == 0 ? null : ToolJson.Finite((after.Mean - before.Mean) / before.Mean * 100),
            SummaryOf(result, 0), SummaryOf(result, 1));
        return ToolJson.Line(line, HistJsonContext.Default.HistDiffLine);
    }

    private static HistSummaryLine SummaryOf(HistResult result, int index)
    {
        HdrHistogramSummary summary = result.Summaries[index];
        return new(
            null, null, null, null, result.Inputs[index].Name, summary.TotalCount, summary.OverflowCount, summary.Mean / result.Ratio,
            summary.StDev / result.Ratio, summary.RelativeError,
            Enumerable.Range(0, HdrHistogramSummary.StandardRanks.Length).Select(summary.At)
                .Select(percentile => new HistPercentile(percentile.Rank, ValueOf(percentile, result), percentile.TargetCount)));
    }

    // A double contains a whole number above 2⁵³ only approximately.
    private static JsonValue ValueOf(Percentile percentile, HistResult result) =>
        result.Ratio == 1 ? JsonValue.Create(percentile.Value)
        : JsonValue.Create(result.HasFractions
            ? RoundNumber.In(percentile.Bucket, result.Ratio).Value
            : percentile.Value / result.Ratio);
}

/// <summary>A summary. The first members are null in a comparison, which has them itself.</summary>
internal sealed record HistSummaryLine(
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Kind,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Unit,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] ulong? SkippedLineCount,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] bool? IsInterrupted,
    string Name, ulong Count, ulong OutOfRangeCount, double Mean, double StandardDeviation, double RelativeError,
    IEnumerable<HistPercentile> Percentiles);

internal sealed record HistDiffLine(
    string Kind, string Unit, ulong SkippedLineCount, bool IsInterrupted, double? EffectSize, double? MeanChangePercent,
    HistSummaryLine Before, HistSummaryLine After);

internal sealed record HistPercentile(double Percentile, JsonValue Value, ulong CumulativeCount);

[JsonSourceGenerationOptions(
    GenerationMode = JsonSourceGenerationMode.Serialization, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(HistSummaryLine))]
[JsonSerializable(typeof(HistDiffLine))]
internal sealed partial class HistJsonContext : JsonSerializerContext;
