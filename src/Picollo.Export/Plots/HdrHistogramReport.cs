using static System.FormattableString;

namespace Picollo.Export.Plots;

/// <summary>The page of <see cref="HdrHistogramPlot.WriteReport"/>.</summary>
internal static partial class HdrHistogramReport
{
    /// <summary>More columns would not fit on a page.</summary>
    private const int SeriesPerTable = 4;

    private const int LettersOfTitle = 160;

    public static string ContentSecurityPolicy =>
        $"default-src 'none'; style-src '{StyleHash}'; script-src '{ScriptHash}'; base-uri 'none'; form-action 'none'";

    public static void Write(TextWriter output, PlotSeries[] still, HdrHistogramPlotOptions options)
    {
        string title = PlotText.Encode(PlotText.Shorten(options.Title.Length > 0 ? options.Title : TitleOf(still), LettersOfTitle));
        output.Write(
            $"""
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="{ContentSecurityPolicy}">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>{title}</title>
            <style>{Style}</style>
            </head>
            <body>
            <main>
            <h1>{title}</h1>
            <div class="plots">

            """.ReplaceLineEndings("\n"));
        HdrHistogramPlotOptions untitled = options.WithoutTitle();
        WriteFigure(output, "Percentiles", PercentilePlot.Make(still, untitled));
        WriteFigure(output, "Density", DensityPlot.Make(still, untitled));
        if (still is [PlotSeries before, PlotSeries after])
        {
            WriteFigure(output, "Difference", DifferencePlot.Make(before, after, untitled));
        }

        foreach (PlotSeries[] some in still.Chunk(SeriesPerTable))
        {
            ReportTable.Write(output, some, untitled, compares: still.Length == 2);
        }

        output.Write($"</div>\n</main>\n<div id=\"tip\" role=\"status\" hidden></div>\n<script>{Script}</script>\n</body>\n</html>\n");
    }

    /// <summary>What is shown: the names of the series.</summary>
    private static string TitleOf(PlotSeries[] series)
    {
        const int MostNames = 3;
        string[] names = [.. series.Select(one => one.ShortName).Where(name => name.Length > 0)];
        string more = names.Length > MostNames ? Invariant($" and {names.Length - MostNames:N0} more") : "";
        return names.Length == 0 ? "Histograms" : string.Join(", ", names.Take(MostNames)) + more;
    }

    private static void WriteFigure(TextWriter output, string caption, HdrHistogramPlot plot) =>
        output.Write($"<figure>\n<figcaption>{caption}</figcaption>\n{plot.ToSvgElement()}</figure>\n");
}
