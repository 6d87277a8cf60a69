using Picollo.Export.Html;
using Picollo.Export.Plots;
using Picollo.Export.Text;
using static System.FormattableString;

namespace Picollo.Export;

/// <summary>A plot of histograms as SVG, for an HTML page (<see cref="ToSvgElement"/>) or as a file (<see cref="ToSvgDocument"/>).
/// <see cref="WriteReport"/> writes a page of plots and tables.</summary>
/// <remarks>
/// <code>
/// HdrHistogramUnit milliseconds = new() { Name = "ms", Ratio = 1e6 };
/// var plot = HdrHistogramPlot.CreatePercentiles([new("before", before), new("after", after)], milliseconds);
/// File.WriteAllText("latency.svg", plot.ToSvgDocument());
/// </code>
/// <para>Equal histograms produce equal text in any culture. The size is limited by the resolution of a screen, about 10 KB per line,
/// whatever the precision and the range. The first ten series have a line each; the others share a gray band from their lowest to their
/// highest value. The browser's tooltips show values at the pointer. Values outside a histogram's range are not drawn; their number is
/// shown below the legend.</para>
/// <para>The SVG has no script, no external parts, and no style sheet except in a document, so an element needs no exception in the
/// content-security policy of a page. Lines have the colors of Okabe and Ito, which color-blind people can distinguish, with a contrast
/// of 3:1 or more on white and on a dark background. Text has the text color of the page. Names are encoded, and long names are shortened
/// in the parts that they share.</para>
/// <para>Values in a unit of time (ns, µs, ms, s or their English names) are shown in the most suitable unit: 30 ms, not 30,000,000
/// ns.</para>
/// <para>Immutable. Creating a plot copies the counts of each histogram into pooled memory, which takes about one millisecond per
/// histogram.</para>
/// </remarks>
public sealed class HdrHistogramPlot
{
    // A document that is shown alone must not exceed the height of the window.
    private static readonly string DocumentStyle =
        "<style>svg{height:auto;max-height:100vh;color:#1b1f24;background:#fff}"
        + "@media(prefers-color-scheme:dark){svg{color:#e6e8eb;background:#16181d}}\n" + HtmlAssets.DarkStyle + "</style>";

    private readonly Func<SvgWriter, double> _draw; // draws the plot and returns its height
    private readonly string _label;

    private HdrHistogramPlot(Func<SvgWriter, double> draw, string label) => (_draw, _label) = (draw, label);

    /// <summary>Renders an <c>svg</c> element for an HTML page. It is as wide as its parent element.</summary>
    /// <returns>The element. Each call creates a new string.</returns>
    public string ToSvgElement() => Render(SvgWriter.WidthInPage, "");

    /// <summary>Renders an SVG file. It uses the light or dark theme of the reader's system, and is as wide as the window or the page that
    /// shows it.</summary>
    /// <returns>The text of the file, to be written as UTF-8. Each call creates a new string.</returns>
    public string ToSvgDocument() => Render(SvgWriter.WidthInFile, DocumentStyle);

    private string Render(double width, string style)
    {
        SvgWriter svg = new(width);
        double height = _draw(svg);
        return svg.ToElement(_label, height, $"<title>{Markup.Encode(_label)}</title>{style}");
    }

    /// <summary>Creates a plot of the percentile distribution: the value at each rank. The rank axis is logarithmic in 1/(1−p), so that
    /// each further nine has the same width.</summary>
    /// <param name="series">The series, in the order of the legend. An empty list creates an empty plot.</param>
    /// <param name="unit">The unit of the values; <see langword="null"/> for none. Its name can be any text; it is encoded and shortened
    /// like the name of a series.</param>
    /// <param name="title">The title; empty for none. Any text is allowed; it is encoded and shortened like the name of a series.</param>
    /// <returns>The plot. The value axis is linear or, if the largest value is more than 1,000 times a median, logarithmic; its label
    /// states which. A line ends at the mid-rank of the largest value, 1 − 1/2n, or at 99.99999999 %.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="series"/> or <paramref name="title"/> is <see langword="null"/>, or a
    /// series has no name or histogram; the message has its index.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed; the message has its index and its name.</exception>
    public static HdrHistogramPlot CreatePercentiles(
        IReadOnlyList<KeyValuePair<string, ReadOnlyHdrHistogram>> series, HdrHistogramUnit? unit = null, string title = "") =>
        PercentilePlot.Make(PlotSeries.ReadAll(series), new(unit, title));

    /// <summary>Creates a plot of the density: the percentage of the values in each of up to 88 intervals, which have equal widths on a
    /// logarithmic axis.</summary>
    /// <returns>The plot. The percentages of a series add up to 100 %. Zeros are not on a logarithmic axis, so their percentage has a
    /// separate column at the start of the axis.</returns>
    /// <inheritdoc cref="CreatePercentiles"/>
    public static HdrHistogramPlot CreateDensity(
        IReadOnlyList<KeyValuePair<string, ReadOnlyHdrHistogram>> series, HdrHistogramUnit? unit = null, string title = "") =>
        DensityPlot.Make(PlotSeries.ReadAll(series), new(unit, title));

    /// <summary>Creates a plot of the density (<see cref="CreateDensity"/>) above the percentiles
    /// (<see cref="CreatePercentiles"/>).</summary>
    /// <returns>The plot. Each histogram is read once.</returns>
    /// <inheritdoc cref="CreatePercentiles"/>
    public static HdrHistogramPlot CreateDistribution(
        IReadOnlyList<KeyValuePair<string, ReadOnlyHdrHistogram>> series, HdrHistogramUnit? unit = null, string title = "")
    {
        PlotSeries[] copies = PlotSeries.ReadAll(series);
        PlotOptions options = new(unit, title);
        return Compose(
            "density and percentile distribution",
            copies,
            options,
            DensityPlot.MakeChart(copies, options),
            PercentilePlot.MakeChart(copies, options));
    }

    /// <summary>Creates a plot of the difference of two histograms: at each rank, the value after the change minus the value before it and,
    /// below, this difference as a percentage of the value before.</summary>
    /// <param name="before">The histogram before the change.</param>
    /// <param name="after">The histogram after the change. The legend states where it is higher and where it is lower.</param>
    /// <param name="unit">The unit of the values; <see langword="null"/> for none. Its name can be any text; it is encoded and shortened
    /// like the name of a series.</param>
    /// <param name="title">The title; empty for none. Any text is allowed; it is encoded and shortened like the name of a series.</param>
    /// <returns>The plot, up to the last rank for which both have values. A change from 0 has no percentage and leaves a gap.</returns>
    /// <exception cref="ArgumentNullException">A name, a histogram or <paramref name="title"/> is <see langword="null"/>.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed; the message has its name.</exception>
    public static HdrHistogramPlot CreateDifference(
        KeyValuePair<string, ReadOnlyHdrHistogram> before,
        KeyValuePair<string, ReadOnlyHdrHistogram> after,
        HdrHistogramUnit? unit = null,
        string title = "")
    {
        PlotSeries[] both = PlotSeries.ReadBoth(before, after);
        return DifferencePlot.Make(both[0], both[1], new(unit, title));
    }

    /// <summary>Creates a picture of the bucket layout for a precision. Each row is a block, with the first value of each bucket and the
    /// bucket width.</summary>
    /// <param name="relativeError">The relative error, as in <see cref="HdrHistogramLayout"/>, from 2⁻²⁰ to 0.5.</param>
    /// <param name="maxValue">The value in the last bucket to draw.</param>
    /// <param name="title">The title; if it is empty, the block size and the precision.</param>
    /// <returns>The picture. Blocks of more than 64 buckets are drawn as a whole.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="relativeError"/> is outside its range or NaN.</exception>
    /// <exception cref="ArgumentNullException"><paramref name="title"/> is <see langword="null"/>.</exception>
    public static HdrHistogramPlot CreateLayout(double relativeError, ulong maxValue = 255, string title = "")
    {
        ArgumentNullException.ThrowIfNull(title);
        return BucketLayoutPlot.Make(new HdrHistogramLayout(relativeError), maxValue, title);
    }

    /// <summary>Writes a report as a single HTML page, with the plots, the values at the pointer, and the table of the summaries. The page
    /// loads nothing.</summary>
    /// <param name="output">The destination, to be encoded as UTF-8. Lines end in LF.</param>
    /// <param name="series">The series, in the order of the report. Exactly two series are also compared; the first is the state before.
    /// Each histogram is read once, before anything is written, so that its plots and its table are consistent.</param>
    /// <param name="unit">The unit of the values; <see langword="null"/> for none. Its name can be any text; it is encoded and shortened
    /// like the name of a series.</param>
    /// <param name="title">The title; empty for none. Any text is allowed; it is encoded and shortened like the name of a series.</param>
    /// <remarks>
    /// <code>
    /// using StreamWriter page = File.CreateText("latency.html");
    /// HdrHistogramPlot.WriteReport(page, [new("before", before), new("after", after)], title: "Latency");
    /// </code>
    /// <para>The page uses the light or dark theme of the reader's system, and the light theme in print. Two histograms and their
    /// difference fit on a page of A4. The script only moves the browser's tooltips to the pointer, so the page is complete without it. The
    /// content-security policy in the page allows only its own style and script; a server can send the same policy as a header
    /// (<see cref="ReportContentSecurityPolicy"/>).</para>
    /// <para>Thread-safe. Deterministic: equal counts produce equal pages.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>, or a series has no name or histogram; the message has
    /// its index.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed; the message has its index and its name.</exception>
    public static void WriteReport(
        TextWriter output,
        IReadOnlyList<KeyValuePair<string, ReadOnlyHdrHistogram>> series,
        HdrHistogramUnit? unit = null,
        string title = "")
    {
        ArgumentNullException.ThrowIfNull(output);
        HdrHistogramReport.Write(output, PlotSeries.ReadAll(series), new(unit, title));
    }

    /// <summary>The content-security policy of the report's page, with the hashes of its style and its script.</summary>
    public static string ReportContentSecurityPolicy => HdrHistogramReport.ContentSecurityPolicy;

    /// <summary>Composes a plot of a title, charts one below the other, and a legend of the last chart's lines, unless all names are empty.
    /// Values of the series out of range are counted below the charts. The kind of the plot is for screen readers.</summary>
    internal static HdrHistogramPlot Compose(
        string kind, IReadOnlyList<PlotSeries> series, PlotOptions options, params ReadOnlySpan<StepChart> charts)
    {
        (string title, StepChart[] all) = (options.Title, charts.ToArray());
        return new HdrHistogramPlot(Draw, LabelOf(kind, series, title));

        double Draw(SvgWriter svg)
        {
            double top = DrawTitle(svg, title);
            foreach (StepChart chart in all)
            {
                top = chart.Draw(svg, top);
            }

            if (all[^1].Lines.Own.Exists(line => line.Name.Length > 0))
            {
                top = svg.Legend(all[^1].Lines, top + 4);
            }

            return DrawOutOfRange(svg, series, top);
        }
    }

    internal static HdrHistogramPlot Compose(string kind, string title, Func<SvgWriter, double, double> draw)
    {
        return new HdrHistogramPlot(svg => draw(svg, DrawTitle(svg, title)), LabelOf(kind, [], title));
    }

    private static double DrawTitle(SvgWriter svg, string title)
    {
        const int MaxLetters = 150;
        const int MaxLines = 3;
        const double FirstLine = 16;
        int letters = SvgWriter.LettersIn(svg.Width - (2 * SvgWriter.Margin)) - 2; // bold letters are wider
        string part = FittedText.Shorten(title, Math.Min(MaxLetters, MaxLines * letters * 3 / 4)); // lines can end early
        return title.Length == 0 ? 4
            : svg.Lines(SvgWriter.Margin, FirstLine, part, title, letters, " font-weight=\"600\"") - FirstLine + 10;
    }

    /// <summary>Writes the number of values that the curves omit. If a histogram lost its longest values, its percentiles are not those of
    /// the measurement.</summary>
    private static double DrawOutOfRange(SvgWriter svg, IReadOnlyList<PlotSeries> series, double top)
    {
        const int MaxRows = 4;
        PlotSeries[] lossy = [.. series.Where(item => item.OverflowCount > 0)];
        int named = lossy.Length <= MaxRows ? lossy.Length : MaxRows - 1;
        foreach (PlotSeries item in lossy.Take(named))
        {
            ulong count = item.OverflowCount;
            string text = Invariant($"{count:N0} {(count == 1 ? "value" : "values")} out of range");
            Row(series.Count > 1 && item.ShortName.Length > 0 ? $"{item.ShortName}: {text}" : text);
        }

        if (named < lossy.Length)
        {
            Row(Invariant($"{lossy.Length - named:N0} more series have values out of range"));
        }

        return top;

        void Row(string text)
        {
            const double FirstLine = 14;
            int letters = SvgWriter.LettersIn(svg.Width - (2 * SvgWriter.Margin));
            top = svg.Lines(SvgWriter.Margin, top + FirstLine, text, text, letters) - FirstLine;
        }
    }

    private static string LabelOf(string kind, IReadOnlyList<PlotSeries> series, string title)
    {
        string names = string.Join(
            ", ", series.Select(item => item.ShortName).Where(name => name.Length > 0).Take(PlotPalette.Count));
        string more = series.Count > PlotPalette.Count ? $" and {series.Count - PlotPalette.Count} more" : "";
        string subject = names.Length == 0 ? "" : $" of {names}{more}";
        const int MaxTitleLength = 80;
        return title.Length == 0 ? kind + subject : $"{FittedText.Shorten(title, MaxTitleLength)}: {kind}{subject}";
    }
}
