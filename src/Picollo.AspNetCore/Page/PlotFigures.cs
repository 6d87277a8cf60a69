using System.Globalization;
using Picollo.AspNetCore.Usage;
using Picollo.Export.Plots;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>The plots of a subject.</summary>
internal static class PlotFigures
{
    /// <summary>Plots all that it has counted, by its histograms at one moment.</summary>
    public static string Now(Subject subject, IReadOnlyList<ReadOnlyHdrHistogram> histograms)
    {
        HdrHistogramSeries[] series = [.. histograms.Select((histogram, i) => new HdrHistogramSeries(subject.SeriesNames[i], histogram))];
        HdrHistogramPlotOptions options = OptionsOf(subject);
        return Figure("Percentiles", HdrHistogramPlot.CreatePercentiles(series, options))
            + Figure("Density", HdrHistogramPlot.CreateDensity(series, options));
    }

    /// <summary>Plots what it had counted when it was marked together with what it has counted since.</summary>
    public static string SinceMark(Subject subject, DateTimeOffset time, IReadOnlyList<MarkedPair> pairs)
    {
        HdrHistogramPlotOptions options = OptionsOf(subject);
        string marked = string.Create(CultureInfo.InvariantCulture, $"{time.UtcDateTime:HH:mm:ss} UTC");
        return string.Concat(pairs.Select((pair, i) =>
        {
            string name = subject.IsRoute ? subject.SeriesNames[i] + ", " : "";
            HdrHistogramSeries before = new(pair.IsContinued ? "until mark" : "marked", pair.Before);
            HdrHistogramSeries after = new(pair.IsContinued ? "since mark" : "now", pair.After);
            string caption = pair.IsContinued ? $"before and after {marked}" : $"marked {marked}, and counted anew since";
            return Figure(Capital(name + caption), HdrHistogramPlot.CreatePercentiles([before, after], options))
                + Figure(Capital(name + "difference"), HdrHistogramPlot.CreateDifference(before, after, options));
        }));
    }

    private static HdrHistogramPlotOptions OptionsOf(Subject subject) => new() { Unit = subject.Unit };

    private static string Figure(string caption, HdrHistogramPlot plot) =>
        $"<figure>\n<figcaption>{Html.Encode(caption)}</figcaption>\n{plot.ToSvgElement()}</figure>\n";

    private static string Capital(string text) => char.ToUpperInvariant(text[0]) + text[1..];
}
