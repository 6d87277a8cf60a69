namespace Picollo.Export.Plots;

/// <summary>
/// One HTML page of histograms: the plots, the values under the pointer, and the table of their summaries, with nothing to load.
/// </summary>
/// <remarks>
/// <code>
/// using StreamWriter page = File.CreateText("latency.html");
/// HdrHistogramReport.Write(
///     page, [new("before", before), new("after", after)], new() { Title = "Latency", Unit = new() { Name = "ms", Ratio = 1e6 } });
/// </code>
/// <para>Light or dark as the reader's system is, and light on paper: two histograms and their difference take a page of A4. Without the
/// script, which moves the browser's tooltips to the pointer, all is there still. The page carries a content-security policy that
/// allows its own style and script and nothing else; a server can send the same as a header
/// (<see cref="ContentSecurityPolicy"/>).</para>
/// <para>Thread-safe. Deterministic: the same counts give the same page.</para>
/// </remarks>
public static partial class HdrHistogramReport
{
    /// <summary>More columns would not fit on a page.</summary>
    private const int SeriesPerTable = 4;

    /// <summary>The policy that the page is written for, by the hashes of its style and its script.</summary>
    public static string ContentSecurityPolicy =>
        $"default-src 'none'; style-src '{StyleHash}'; script-src '{ScriptHash}'; base-uri 'none'; form-action 'none'";

    /// <summary>Writes the page.</summary>
    /// <param name="output">Where to, as UTF-8; lines end in LF.</param>
    /// <param name="series">What to show, in this order. Exactly two are also compared, the first as the state before. Each histogram
    /// is read once, before anything is written, so that its plots and its table show one moment.</param>
    /// <param name="options">Heading and unit; null for none.</param>
    /// <exception cref="ArgumentNullException">No output or series, or a series without name or histogram; the message has its
    /// number.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed; the message has its number and its name.</exception>
    public static void Write(TextWriter output, IReadOnlyList<HdrHistogramSeries> series, HdrHistogramPlotOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(output);
        PlotSeries[] still = PlotSeries.ReadAll(series); // before anything is written
        options ??= new();
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
    internal static string Heading(string text)
    {
        const int Letters = 120;
        return PlotText.Encode(PlotText.Shorten(text, Letters));
    }

    private static void WriteFigure(TextWriter output, string caption, HdrHistogramPlot plot) =>
        output.Write($"<figure>\n<figcaption>{caption}</figcaption>\n{plot.ToSvgElement()}</figure>\n");
}
