using Picollo.Metrics;

namespace Picollo.Cli.Hist;

/// <summary>The results for people: the library's tables, and the percentiles as a chart.</summary>
internal static class HistTables
{
    private const string Before = "Before";
    private const string After = "After";

    public static void Write(TextWriter output, HistResult result, int width)
    {
        HdrHistogramSummary first = result.Summaries[0];
        output.WriteLine(result.IsDiff
            ? first.ToDiffTable(result.Summaries[1], result.Title, Before, After, result.Ratio)
            : first.ToTable(result.Title, result.Ratio));
        HdrHistogram[] histograms = [.. result.Inputs.Select(input => input.Histogram)];
        if (histograms.All(one => one.TotalCount == 0))
        {
            return;
        }

        string axis = result.Unit.Length == 0 ? "value" : result.Unit;
        PercentileChart chart = new(histograms, result.Ratio, width);
        for (int i = 0; i < histograms.Length; i++)
        {
            chart.Write(output, histograms[i], result.IsDiff ? $"{(i == 0 ? Before : After)}: {axis} at rank" : $"{axis} at rank");
        }
    }
}
