using static System.FormattableString;

namespace Picollo.Export.Plots;

/// <summary>A picture of histograms as SVG: for a page (<see cref="ToSvgElement"/>) or as a file of its own
/// (<see cref="ToSvgDocument"/>); and a whole page of pictures and tables (<see cref="WriteReport"/>).</summary>
/// <remarks>
/// <code>
/// HdrHistogramUnit milliseconds = new() { Name = "ms", Ratio = 1e6 };
/// var plot = HdrHistogramPlot.CreatePercentiles([new("before", before), new("after", after)], new() { Unit = milliseconds });
/// File.WriteAllText("latency.svg", plot.ToSvgDocument());
/// </code>
/// <para>The same histograms give the same text, in any culture. Its size is bounded by what a screen can show, some 10 KB a line,
/// whatever the precision and the range. The first ten series have a line each; what others there are lies in a grey band from the
/// lowest to the highest of them. Pointed at, a plot tells values in the browser's own tooltips. Values outside a histogram's range are not
/// drawn; below the legend the plot says how many there are.</para>
/// <para>No script, no style sheet but the document's own, no external part: a fragment needs no exception in a page's
/// content-security policy. Lines are in Okabe and Ito's colours, which colour-blind people tell apart, with a contrast of 3:1 or
/// more on white and on a dark ground; text has the colour of the page's text. Names are encoded, and long ones are shortened where they
/// are alike.</para>
/// <para>Values in a unit of time (ns, µs, ms, s or their English names) are shown in the unit that suits them: 30 ms, not 30,000,000
/// ns.</para>
/// <para>Immutable. Making one copies a histogram's counts into pooled memory and takes about a millisecond for each.</para>
/// </remarks>
public sealed class HdrHistogramPlot
{
    // Alone in a window, it takes no more than that has.
    private static readonly string DocumentStyle =
        "<style>svg{height:auto;max-height:100vh;color:#1b1f24;background:#fff}"
        + "@media(prefers-color-scheme:dark){svg{color:#e6e8eb;background:#16181d}}\n" + PlotPalette.DarkStyle + "</style>";

    private readonly Func<SvgWriter, double> _draw; // returns the height
    private readonly string _label;

    private HdrHistogramPlot(Func<SvgWriter, double> draw, string label) => (_draw, _label) = (draw, label);

    /// <summary>Renders an <c>svg</c> element to put into an HTML page, as wide as what it stands in.</summary>
    /// <returns>The element. Each call makes a new string.</returns>
    public string ToSvgElement() => Render(SvgWriter.WidthInPage, "");

    /// <summary>Renders an SVG file, light or dark as the reader's system is, and as wide as the window or the page that shows
    /// it.</summary>
    /// <returns>The file's text, to be written as UTF-8. Each call makes a new string.</returns>
    public string ToSvgDocument() => Render(SvgWriter.WidthInFile, DocumentStyle);

    private string Render(double width, string style)
    {
        SvgWriter svg = new(width);
        double height = _draw(svg);
        return svg.ToElement(_label, height, $"<title>{PlotText.Encode(_label)}</title>{style}");
    }

    /// <summary>The percentile distribution: a value for each rank, with the logarithm of 1/(1−p) to the right, so that each further
    /// nine has the same room.</summary>
    /// <param name="series">What to draw, in the legend's order; none is an empty plot.</param>
    /// <param name="options">Title and unit; null for none.</param>
    /// <returns>The plot. Its axis of values is linear unless the largest value is more than 1,000 times a median, and then logarithmic, as
    /// its label says. A line ends at the mid-rank of the largest value, 1 − 1/2n, and at 99.99999999 %.</returns>
    /// <exception cref="ArgumentNullException">No series, or one without name or histogram; the message has its number.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed; the message has its number and its name.</exception>
    public static HdrHistogramPlot CreatePercentiles(IReadOnlyList<HdrHistogramSeries> series, HdrHistogramPlotOptions? options = null) =>
        PercentilePlot.Make(PlotSeries.ReadAll(series), options ?? new());

    /// <summary>The density: how large a share of the values lies in each of up to 88 intervals, equally wide on a logarithmic
    /// axis.</summary>
    /// <returns>The plot. The shares of a series add up to 100 %. Where there are zeros, which have no place on such an axis, their
    /// share is a column of its own at the axis' beginning.</returns>
    /// <inheritdoc cref="CreatePercentiles"/>
    public static HdrHistogramPlot CreateDensity(IReadOnlyList<HdrHistogramSeries> series, HdrHistogramPlotOptions? options = null) =>
        DensityPlot.Make(PlotSeries.ReadAll(series), options ?? new());

    /// <summary>Both in one picture: the density (<see cref="CreateDensity"/>), and below it the percentiles
    /// (<see cref="CreatePercentiles"/>).</summary>
    /// <returns>The plot; each histogram is read once.</returns>
    /// <inheritdoc cref="CreatePercentiles"/>
    public static HdrHistogramPlot CreateDistribution(IReadOnlyList<HdrHistogramSeries> series, HdrHistogramPlotOptions? options = null)
    {
        PlotSeries[] still = PlotSeries.ReadAll(series);
        options ??= new();
        return Compose(
            "density and percentile distribution",
            still,
            options,
            DensityPlot.MakeChart(still, options),
            PercentilePlot.MakeChart(still, options));
    }

    /// <summary>What changed: at each rank the value after less the value before, and below it the same in percent of the value
    /// before.</summary>
    /// <param name="before">The state before.</param>
    /// <param name="after">The state after; the legend says where it is higher and where lower.</param>
    /// <param name="options">Title and unit; null for none.</param>
    /// <returns>The plot, up to the rank that both have values for. A change from 0 has no percentage and leaves a gap.</returns>
    /// <exception cref="ArgumentNullException">A name or histogram is missing.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed; the message has its name.</exception>
    public static HdrHistogramPlot CreateDifference(
        HdrHistogramSeries before, HdrHistogramSeries after, HdrHistogramPlotOptions? options = null)
    {
        PlotSeries[] both = PlotSeries.ReadBoth(before, after);
        return DifferencePlot.Make(both[0], both[1], options ?? new());
    }

    /// <summary>The bucket layout of a precision: a row for each block with the first values of its buckets and their width.</summary>
    /// <param name="relativeError">As the factory takes it, 0.000001 to 0.1; it is met by the next block size that is a power of
    /// two.</param>
    /// <param name="maxValue">The value whose bucket is the last that is drawn.</param>
    /// <param name="title">The heading; empty for block size and precision.</param>
    /// <returns>The picture. Buckets of blocks of more than 64 are not drawn one by one.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="relativeError"/> is outside its range or NaN.</exception>
    /// <exception cref="ArgumentNullException"><paramref name="title"/> is <see langword="null"/>.</exception>
    public static HdrHistogramPlot CreateLayout(double relativeError, ulong maxValue = 255, string title = "")
    {
        ArgumentNullException.ThrowIfNull(title);
        return LayoutPlot.Make(new HdrHistogramSettings().WithRelativeError(relativeError).Layout, maxValue, title);
    }

    /// <summary>Writes one HTML page of histograms: the plots, the values under the pointer, and the table of their summaries, with
    /// nothing to load.</summary>
    /// <param name="output">Where to, as UTF-8; lines end in LF.</param>
    /// <param name="series">What to show, in this order. Exactly two are also compared, the first as the state before. Each histogram
    /// is read once, before anything is written, so that its plots and its table show one moment.</param>
    /// <param name="options">Heading and unit; null for none.</param>
    /// <remarks>
    /// <code>
    /// using StreamWriter page = File.CreateText("latency.html");
    /// HdrHistogramPlot.WriteReport(page, [new("before", before), new("after", after)], new() { Title = "Latency" });
    /// </code>
    /// <para>Light or dark as the reader's system is, and light on paper: two histograms and their difference take a page of A4. Without
    /// the script, which moves the browser's tooltips to the pointer, all is there still. The page carries a content-security policy
    /// that allows its own style and script and nothing else; a server can send the same as a header
    /// (<see cref="ReportContentSecurityPolicy"/>).</para>
    /// <para>Thread-safe. Deterministic: the same counts give the same page.</para>
    /// </remarks>
    /// <exception cref="ArgumentNullException">No output or series, or a series without name or histogram; the message has its
    /// number.</exception>
    /// <exception cref="ObjectDisposedException">A histogram is disposed; the message has its number and its name.</exception>
    public static void WriteReport(TextWriter output, IReadOnlyList<HdrHistogramSeries> series, HdrHistogramPlotOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(output);
        HdrHistogramReport.Write(output, PlotSeries.ReadAll(series), options ?? new());
    }

    /// <summary>The policy that the report's page is written for, by the hashes of its style and its script.</summary>
    public static string ReportContentSecurityPolicy => HdrHistogramReport.ContentSecurityPolicy;

    /// <summary>Puts a plot together: title, charts one below the other, legend.</summary>
    /// <param name="kind">What the plot is, for screen readers.</param>
    /// <param name="series">The series; values out of their ranges are counted below the charts.</param>
    /// <param name="options">The options, with the title.</param>
    /// <param name="charts">The charts. The legend has the names of the last one's lines, unless they are all empty.</param>
    internal static HdrHistogramPlot Compose(
        string kind, IReadOnlyList<PlotSeries> series, HdrHistogramPlotOptions options, params ReadOnlySpan<StepChart> charts)
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

    /// <summary>A picture of one drawing under a title.</summary>
    internal static HdrHistogramPlot Compose(string kind, string title, Func<SvgWriter, double, double> draw)
    {
        return new HdrHistogramPlot(svg => draw(svg, DrawTitle(svg, title)), LabelOf(kind, [], title));
    }

    private static double DrawTitle(SvgWriter svg, string title)
    {
        const int MostLetters = 150;
        const int MostLines = 3;
        const double FirstLine = 16;
        int letters = SvgWriter.LettersIn(svg.Width - (2 * SvgWriter.Margin)) - 2; // bold ones are wider
        string part = PlotText.Shorten(title, Math.Min(MostLetters, MostLines * letters * 3 / 4)); // a line may end early
        return title.Length == 0 ? 4
            : svg.Lines(SvgWriter.Margin, FirstLine, part, title, letters, " font-weight=\"600\"") - FirstLine + 10;
    }

    /// <summary>Says how many values the curves leave out: the percentiles of a histogram that lost its longest values are not those of
    /// what was measured.</summary>
    private static double DrawOutOfRange(SvgWriter svg, IReadOnlyList<PlotSeries> series, double top)
    {
        const int MaxRows = 4;
        PlotSeries[] lossy = [.. series.Where(one => one.Histogram.OverflowCount > 0)];
        int named = lossy.Length <= MaxRows ? lossy.Length : MaxRows - 1;
        foreach (PlotSeries one in lossy.Take(named))
        {
            ulong count = one.Histogram.OverflowCount;
            string text = Invariant($"{count:N0} {(count == 1 ? "value" : "values")} out of range");
            Row(series.Count > 1 && one.ShortName.Length > 0 ? $"{one.ShortName}: {text}" : text);
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
            ", ", series.Select(one => one.ShortName).Where(name => name.Length > 0).Take(PlotPalette.Count));
        string more = series.Count > PlotPalette.Count ? $" and {series.Count - PlotPalette.Count} more" : "";
        string of = names.Length == 0 ? "" : $" of {names}{more}";
        const int LettersOfTitle = 80;
        return title.Length == 0 ? kind + of : $"{PlotText.Shorten(title, LettersOfTitle)}: {kind}{of}";
    }
}
