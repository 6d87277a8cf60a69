using System.Globalization;

namespace Picollo.Metrics.Export;

/// <summary>The summaries of a few series as an HTML table, the rows those of <see cref="HdrHistogramSummary.ToTable"/>.</summary>
internal static class ReportTable
{
    /// <summary>Writes the table; with two series that are compared the change in percent as well.</summary>
    public static void Write(TextWriter output, HdrHistogramSeries[] series, HdrHistogramPlotOptions options, bool compares)
    {
        HdrHistogramSummary[] summaries = [.. series.Select(one => one.Histogram.GetSummary())];
        string caption = options.Unit.Length == 0 ? "Summary" : $"Summary, values in {HdrHistogramReport.Heading(options.UnitOr(""))}";
        output.Write($"<div class=\"table\">\n<table>\n<caption>{caption}</caption>\n<thead><tr><th scope=\"col\">Percentile</th>");
        foreach (HdrHistogramSeries one in series)
        {
            output.Write($"<th scope=\"col\">{HdrHistogramReport.Heading(one.Name)}</th>");
        }

        output.Write(compares ? "<th scope=\"col\">Δ%</th></tr></thead>\n<tbody>\n" : "</tr></thead>\n<tbody>\n");
        void Row(string name, Func<HdrHistogramSummary, string> text, Func<HdrHistogramSummary, double>? compared)
        {
            output.Write($"<tr><th scope=\"row\">{name}</th>");
            foreach (HdrHistogramSummary summary in summaries)
            {
                output.Write($"<td>{text(summary)}</td>");
            }

            if (compares)
            {
                string change = compared is null ? "" : HdrHistogramSummary.Change(compared(summaries[0]), compared(summaries[1]));
                output.Write($"<td>{change}</td>");
            }

            output.Write("</tr>\n");
        }

        void MomentRow(string name, Func<HdrHistogramSummary, double> value) =>
            Row(name, summary => PlotText.Value(value(summary) / options.ValueUnitRatio), value);

        for (int i = 0; i < HdrHistogramSummary.StandardRanks.Length; i++)
        {
            int rank = i;
            Row(
                HdrHistogramSummary.Rank(HdrHistogramSummary.StandardRanks[i]),
                summary => PlotText.Value(summary.At(rank).Value, options.ValueUnitRatio),
                summary => summary.At(rank).Value);
        }

        MomentRow("Mean", summary => summary.Mean);
        MomentRow("StDev", summary => summary.StDev);
        Row("Total", summary => HdrHistogramSummary.Count(summary.TotalCount), summary => summary.TotalCount);
        if (summaries.Any(summary => summary.OverflowCount > 0))
        {
            Row("Out of range", summary => HdrHistogramSummary.Count(summary.OverflowCount), null);
        }

        Row("Precision", summary => HdrHistogramSummary.Precision(summary.RelativeError), null);
        if (compares)
        {
            double effect = summaries[0].GetEffectSize(summaries[1]);
            string text = double.IsFinite(effect) ? effect.ToString("N2", CultureInfo.InvariantCulture) : "n/a";
            output.Write($"<tr><th scope=\"row\">D-value</th><td></td><td></td><td>{text}</td></tr>\n");
        }

        output.Write("</tbody>\n</table>\n</div>\n");
    }
}
