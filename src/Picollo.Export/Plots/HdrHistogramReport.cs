namespace Picollo.Export.Plots;

/// <summary>The page of <see cref="HdrHistogramPlot.WriteReport"/>.</summary>
internal static partial class HdrHistogramReport
{
    /// <summary>More columns would not fit on a page.</summary>
    private const int SeriesPerTable = 4;

    public static string ContentSecurityPolicy =>
        $"default-src 'none'; style-src '{StyleHash}'; script-src '{ScriptHash}'; base-uri 'none'; form-action 'none'";

    public static void Write(TextWriter output, PlotSeries[] still, HdrHistogramPlotOptions options)
    {
        string title = Heading(options.Title.Length == 0 ? "Histograms" : options.Title);
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

    /// <summary>A text where there is room for a line or two.</summary>
    public static string Heading(string text)
    {
        const int Letters = 120;
        return PlotText.Encode(PlotText.Shorten(text, Letters));
    }

    private static void WriteFigure(TextWriter output, string caption, HdrHistogramPlot plot) =>
        output.Write($"<figure>\n<figcaption>{caption}</figcaption>\n{plot.ToSvgElement()}</figure>\n");
}
