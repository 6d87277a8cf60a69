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

    public static void Write(TextWriter output, PlotSeries[] copies, PlotOptions options)
    {
        string given = options.Title.Length > 0 ? options.Title : TitleOf(copies);
        string title = Markup.Encode(FittedText.Shorten(given, HtmlPage.MaxTitleLength));
        output.Write(HtmlPage.Head(title, HtmlAssets.ReportStyle, ContentSecurityPolicy));
        output.Write($"<main>\n<h1>{title}</h1>\n<div class=\"plots\">\n");
        PlotOptions untitled = options.WithoutTitle();
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
        string[] names = [.. series.Select(item => item.ShortName).Where(name => name.Length > 0)];
        string more = names.Length > MaxNames ? Invariant($" and {names.Length - MaxNames:N0} more") : "";
        return names.Length == 0 ? "Histograms" : string.Join(", ", names.Take(MaxNames)) + more;
    }

    private static void WriteFigure(TextWriter output, string caption, HdrHistogramPlot plot) =>
        output.Write($"<figure>\n<figcaption>{caption}</figcaption>\n{plot.ToSvgElement()}</figure>\n");
}

/// <summary>Writes the summaries of a few series as an HTML table with the rows of <see cref="HdrHistogramSummary.ToTable"/>.</summary>
internal static class ReportTable
{
    private const string NotAvailable = "n/a";

    /// <summary>Writes the table. If two series are compared, it includes the change in percent.</summary>
    public static void Write(TextWriter output, PlotSeries[] series, PlotOptions options, bool compares)
    {
        ReportColumn[] columns = [.. series.Select(item => new ReportColumn(item, options.Unit.Ratio))];
        bool isComparable = !columns.Any(column => column.IsEmpty);
        string unit = new PlotUnit(options.Unit).Name;
        string caption = unit.Length == 0 ? "Summary" : $"Summary, values in {Markup.Encode(unit)}";

        // A scrollable element must be reachable by keyboard.
        output.Write(
            $"<div class=\"{(series.Length > 2 ? "wide table" : "table")}\" role=\"region\" aria-label=\"{caption}\" tabindex=\"0\">\n"
            + $"<table>\n<caption>{caption}</caption>\n<thead><tr><th scope=\"col\">Percentile</th>");
        foreach (ReportColumn column in columns)
        {
            output.Write($"<th scope=\"col\">{Markup.Encode(column.Name)}</th>");
        }

        output.Write(compares ? "<th scope=\"col\">Δ%</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
        void Row(string name, Func<ReportColumn, string> text, string change)
        {
            output.Write($"<tr><th scope=\"row\">{name}</th>");
            foreach (ReportColumn column in columns)
            {
                output.Write($"<td>{text(column)}</td>");
            }

            output.Write(compares ? $"<td>{change}</td></tr>\n" : "</tr>\n");
        }

        string Change(Func<HdrHistogramSummary, double> value) => !compares ? ""
            : isComparable ? UnitText.Change(value(columns[0].Summary), value(columns[1].Summary)) : NotAvailable;

        void MomentRow(string name, Func<HdrHistogramSummary, double> value) =>
            Row(name, column => column.Moment(value(column.Summary)), Change(value));

        for (int i = 0; i < HdrHistogramSummary.SummaryRanks.Length; i++)
        {
            int rank = i;
            Row(
                UnitText.Rank(HdrHistogramSummary.SummaryRanks[i]),
                column => column.At(rank),
                Change(summary => summary.Percentiles[rank].Value));
        }

        MomentRow("Mean", summary => summary.Mean);
        MomentRow("StDev", summary => summary.StDev);
        Row("Total", column => UnitText.Count(column.Summary.TotalCount), Change(summary => summary.TotalCount));
        if (columns.Any(column => column.OverflowCount > 0))
        {
            Row("Out of range", column => UnitText.Count(column.OverflowCount), "");
        }

        Row("Precision", column => UnitText.Precision(column.Summary.RelativeError), "");
        if (compares)
        {
            double effect = isComparable ? columns[0].Summary.GetEffectSize(columns[1].Summary) : double.NaN;
            string text = double.IsFinite(effect) ? effect.ToString("N2", CultureInfo.InvariantCulture) : NotAvailable;
            Row("D-value", _ => "", text);
        }

        output.Write("</tbody>\n</table>\n</div>\n");
    }
}

/// <summary>A series in the report's table, with the digits of the text table (<see cref="HdrHistogramSummary.ToTable"/>).</summary>
internal sealed class ReportColumn(PlotSeries series, double unit)
{
    public HdrHistogramSummary Summary { get; } = series.ToHistogram().GetSummary();

    public ulong OverflowCount => series.OverflowCount;

    public string Name => series.Label;

    public bool IsEmpty => series.Buckets.Length == 0;

    /// <summary>Returns the value at a standard rank, given by its index.</summary>
    public string At(int rank)
    {
        Percentile percentile = Summary.Percentiles[rank];
        return Text(UnitText.Value(percentile.Value, percentile.Bucket.Step, unit), percentile.Value);
    }

    /// <summary>Formats a mean or a deviation, which is in the unit of recorded values.</summary>
    public string Moment(double value) => Text(UnitText.Real(value, unit), value);

    // If the unit does not suit the values, the table must not become wider than a page.
    private string Text(string text, double value)
    {
        const int MaxLetters = 26; // the length of the largest value
        return IsEmpty ? Quantity.MissingOnPage : text.Length <= MaxLetters ? text : PlotNumber.Exponent(value / unit);
    }
}
