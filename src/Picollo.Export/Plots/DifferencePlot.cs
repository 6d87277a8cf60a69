namespace Picollo.Export.Plots;

/// <summary>What changed between two histograms at each rank: in the values' unit, and below in percent of what was.</summary>
internal static class DifferencePlot
{
    private const double Height = 110;

    // A look for up and one for down: vermillion and blue, the pair that colour-blind people tell apart best.
    private const int Down = 0;
    private const int Up = 1;

    public static HdrHistogramPlot Make(PlotSeries before, PlotSeries after, HdrHistogramPlotOptions options)
    {
        PercentileCurve was = new(before.Histogram);
        PercentileCurve now = new(after.Histogram);
        double unit = options.Unit.Ratio;

        // No further than both have values.
        double nines = Math.Min(was.Nines, now.Nines);
        double[] absolute = PercentilePlot.Levels(nines, i => Difference(was.ColumnAt(i), now.ColumnAt(i)) / unit);
        double[] relative = PercentilePlot.Levels(nines, i => Change(was.ColumnAt(i), now.ColumnAt(i)));
        string Tell(int rank)
        {
            (ulong from, ulong to) = (was.ToldAt(rank), now.ToldAt(rank));
            double change = Change(from, to);
            string percent = double.IsNaN(change) ? "n/a" : Signed(PlotText.Short(change)) + " %";
            return $"\n{options.WithUnit(PlotText.Value(from, unit))} → {options.WithUnit(PlotText.Value(to, unit))}"
                + $"\n{options.WithUnit(Signed(PlotText.Value(Difference(from, to) / unit)))}, {percent}";
        }

        IReadOnlyList<PlotStrip> strips = PercentilePlot.StripsOf(Math.Max(nines, 1), nines > 0 ? Tell : null);
        const int Letters = 12; // what the legend has left beside the words
        string name = after.Name.Length == 0 ? "after" : PlotText.Shorten(after.Name, Letters);
        StepChart upper = Chart(absolute, $"difference, {options.UnitOr("value")}", "");
        StepChart lower = Chart(relative, "difference, %", PercentilePlot.RankLabel);
        return HdrHistogramPlot.Compose("difference by percentile", [before, after], options, upper, lower);

        StepChart Chart(double[] levels, string label, string xLabel) => new()
        {
            Height = Height,
            X = PercentilePlot.RankAxis(Math.Max(nines, 1)),
            Y = PlotAxis.Linear(levels.Where(double.IsFinite).Append(0).Min(), levels.Where(double.IsFinite).Append(0).Max(), 4),
            XLabel = xLabel,
            YLabel = label,
            Edges = PercentilePlot.Edges,
            Lines = new()
            {
                Own =
                [
                    new($"{name} is higher", [.. levels.Select(level => level >= 0 ? level : double.NaN)], Up, IsFilled: true),
                    new($"{name} is lower", [.. levels.Select(level => level < 0 ? level : double.NaN)], Down, IsFilled: true),
                ],
            },
            Strips = strips,
            Nothing = "nothing to compare",
        };
    }

    // In whole numbers first: two neighbours above 2⁵³ are one number as doubles.
    private static double Difference(ulong from, ulong to) => (double)((Int128)to - from);

    /// <summary>In percent; there is none from 0 to something.</summary>
    private static double Change(ulong from, ulong to) =>
        from == 0 ? to == 0 ? 0 : double.NaN : Difference(from, to) / from * 100;

    private static string Signed(string number) => number[0] is '-' or '0' && number.Trim('0', '.').Length == 0 ? "0"
        : number[0] == '-' ? number : "+" + number;
}
