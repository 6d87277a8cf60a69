using Picollo.Export.Text;

namespace Picollo.Export.Plots;

/// <summary>Draws the difference of two histograms at each rank: in the unit of the values and, below, in percent of the value
/// before.</summary>
internal static class DifferencePlot
{
    private const double Height = 110;

    // One color for increases and one for decreases. Vermilion and blue are the pair that color-blind people distinguish best.
    private const int Down = 0;
    private const int Up = 1;

    public static HdrHistogramPlot Make(PlotSeries before, PlotSeries after, PlotOptions options)
    {
        PercentileCurve was = new(before.ToHistogram());
        PercentileCurve now = new(after.ToHistogram());
        PlotUnit own = new(options.Unit);

        // The plot ends where one of the two has no more values.
        double nines = Math.Min(was.Nines, now.Nines);
        double[] recorded = PercentilePlot.Levels(nines, i => Difference(was.ColumnAt(i), now.ColumnAt(i)));
        (PlotUnit unit, PlotAxis axis) = own.Scale(
            recorded.Where(double.IsFinite).Select(Math.Abs).DefaultIfEmpty().Max(),
            unit => Axis(recorded.Select(difference => difference / unit.Ratio)));
        double[] absolute = [.. recorded.Select(difference => difference / unit.Ratio)];
        double[] relative = PercentilePlot.Levels(nines, i => Change(was.ColumnAt(i), now.ColumnAt(i)));
        string Format(int rank)
        {
            (ulong from, ulong to) = (was.DisplayedAt(rank), now.DisplayedAt(rank));
            double change = Change(from, to);
            string percent = double.IsNaN(change) ? Quantity.MissingOnPage : Quantity.Change(change / 100);
            return $"\n{own.Format(from)} → {own.Format(to)}\n{own.FormatDifference(Difference(from, to))}, {percent}";
        }

        IReadOnlyList<PlotStrip> strips = PercentilePlot.StripsOf(Math.Max(nines, 1), nines > 0 ? Format : null);
        string name = after.Name.Length == 0 ? "after" : after.ShortName;
        StepChart upper = Chart(absolute, axis, $"difference, {unit.AxisLabel}", "");
        StepChart lower = Chart(relative, Axis(relative), "difference, %", PercentilePlot.RankLabel);
        return HdrHistogramPlot.Compose("difference by percentile", [before, after], options, upper, lower);

        static PlotAxis Axis(IEnumerable<double> levels)
        {
            double[] known = [.. levels.Where(double.IsFinite), 0];
            return PlotAxis.Linear(known.Min(), known.Max(), 4);
        }

        StepChart Chart(double[] levels, PlotAxis axis, string label, string xLabel) => new()
        {
            Height = Height,
            X = PercentilePlot.RankAxis(Math.Max(nines, 1)),
            Y = axis,
            XLabel = xLabel,
            YLabel = label,
            Edges = PercentilePlot.Edges,
            Lines = new()
            {
                Own =
                [
                    Line("higher", levels, level => level >= 0, Up),
                    Line("lower", levels, level => level < 0, Down),
                ],
            },
            Strips = strips,
            Nothing = "nothing to compare",
        };

        PlotLine Line(string word, double[] levels, Func<double, bool> isIncluded, int look) => new(
            $"{name} is {word}",
            $"{(after.Name.Length == 0 ? name : after.Name)} is {word}",
            [.. levels.Select(level => isIncluded(level) ? level : double.NaN)],
            look,
            IsFilled: true);
    }

    // The difference is computed in integers, because two adjacent numbers above 2⁵³ are equal as doubles.
    private static double Difference(ulong from, ulong to) => (double)((Int128)to - from);

    /// <summary>Returns the change in percent; NaN for a change from 0 to another value.</summary>
    private static double Change(ulong from, ulong to) =>
        from == 0 ? to == 0 ? 0 : double.NaN : Difference(from, to) / from * 100;
}
