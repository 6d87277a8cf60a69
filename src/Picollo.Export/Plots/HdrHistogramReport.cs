using Picollo.Export.Html;
using Picollo.Export.Text;
using static System.FormattableString;

namespace Picollo.Export.Plots;

/// <summary>Writes the page of <see cref="HdrHistogramPlot.WriteReport"/>.</summary>
internal static class HdrHistogramReport
{
    /// <summary>The maximum number of columns that fit on a page.</summary>
    private const int SeriesPerTable = 4;

    public static string ContentSecurityPolicy => HtmlPage.PolicyOf(HtmlAssets.ReportStyleHash, HtmlAssets.ReportScriptHash);

    public static void Write(TextWriter output, PlotSeries[] copies, HdrHistogramPlotOptions options)
    {
        string given = options.Title.Length > 0 ? options.Title : TitleOf(copies);
        string title = Markup.Encode(FittedText.Shorten(given, HtmlPage.MaxTitleLength));
        output.Write(HtmlPage.Head(title, HtmlAssets.ReportStyle, ContentSecurityPolicy));
        output.Write($"<main>\n<h1>{title}</h1>\n<div class=\"plots\">\n");
        HdrHistogramPlotOptions untitled = options.WithoutTitle();
        WriteFigure(output, "Percentiles", PercentilePlot.Make(copies, untitled));
        WriteFigure(output, "Density", DensityPlot.Make(copies, untitled));
        if (copies is [PlotSeries before, PlotSeries after])
        {
            WriteFigure(output, "Difference", DifferencePlot.Make(before, after, untitled));
        }

        foreach (PlotSeries[] some in copies.Chunk(SeriesPerTable))
        {
            ReportTable.Write(output, some, untitled, compares: copies.Length == 2);
        }

        output.Write("</div>\n</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n");
        output.Write($"<script>{HtmlAssets.ReportScript}</script>\n</body>\n</html>\n");
    }

    /// <summary>Returns the default title, which has the names of the series.</summary>
    private static string TitleOf(PlotSeries[] series)
    {
        const int MaxNames = 3;
        string[] names = [.. series.Select(one => one.ShortName).Where(name => name.Length > 0)];
        string more = names.Length > MaxNames ? Invariant($" and {names.Length - MaxNames:N0} more") : "";
        return names.Length == 0 ? "Histograms" : string.Join(", ", names.Take(MaxNames)) + more;
    }

    private static void WriteFigure(TextWriter output, string caption, HdrHistogramPlot plot) =>
        output.Write($"<figure>\n<figcaption>{caption}</figcaption>\n{plot.ToSvgElement()}</figure>\n");
}
