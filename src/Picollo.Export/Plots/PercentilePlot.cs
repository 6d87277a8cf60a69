using System.Text;

namespace Picollo.Export.Plots;

/// <summary>The percentile distribution: the value at each rank, the ranks stretched towards 100 as the HdrHistogram family plots
/// them.</summary>
internal static class PercentilePlot
{
    public const string RankLabel = "percentile, %";

    public const double Height = 210;

    /// <summary>A linear axis hides a median that is less than this part of the largest value: then the axis is logarithmic.</summary>
    private const double LinearRange = 1000;

    public static HdrHistogramPlot Make(IReadOnlyList<PlotSeries> series, HdrHistogramPlotOptions options)
    {
        (StepChart chart, PlotLines lines) = MakeChart(series, options);
        return HdrHistogramPlot.Compose("percentile distribution", series, options, [(chart, Height)], lines.Lines, lines.Band);
    }

    public static (StepChart Chart, PlotLines Lines) MakeChart(IReadOnlyList<PlotSeries> series, HdrHistogramPlotOptions options)
    {
        double unit = options.ValueUnitRatio;
        double nines = 0;
        double largest = 0;
        double smallest = double.PositiveInfinity;
        double smallestAboveZero = double.PositiveInfinity;
        double medianAboveZero = double.PositiveInfinity;
        PlotLines lines = new();
        List<(string Name, PercentileCurve Curve)> told = [];
        foreach (PlotSeries one in series)
        {
            PercentileCurve curve = new(one.Histogram);
            if (told.Count < PlotPalette.Count)
            {
                told.Add((one.Name, curve));
            }

            double[] levels = Levels(curve, unit);
            lines.Add(curve.Total == 0 ? one.Name + HdrHistogramPlot.NoValues : one.Name, levels, isFilled: false);
            if (curve.Total > 0)
            {
                nines = Math.Max(nines, curve.Nines);
                largest = Math.Max(largest, curve.Largest / unit);
                smallest = Math.Min(smallest, curve.Smallest / unit);
                smallestAboveZero = Math.Min(smallestAboveZero, levels.FirstOrDefault(level => level > 0, double.PositiveInfinity));
                medianAboveZero = Math.Min(medianAboveZero, curve.Median > 0 ? curve.Median / unit : double.PositiveInfinity);
            }
        }

        nines = Math.Max(nines, 1);
        bool isLogarithmic = largest > medianAboveZero * LinearRange;
        StepChart chart = new()
        {
            X = RankAxis(nines),
            Y = isLogarithmic ? LogarithmicAxis(smallestAboveZero, largest) : LinearAxis(smallest, largest),
            XLabel = RankLabel,
            YLabel = options.UnitOr("value") + (isLogarithmic ? ", logarithmic" : ""),
            Edges = Edges,
            Lines = lines.Lines,
            Band = lines.Band,
            Strips = StripsOf(nines, told.Any(one => one.Curve.Total > 0) ? rank => Tell(told, rank, options) : null),
        };
        return (chart, lines);
    }

    /// <summary>The beginnings of the columns in nines.</summary>
    public static double[] Edges { get; } =
        [.. Enumerable.Range(0, (PercentileCurve.MaxNines * PercentileCurve.ColumnsPerNine) + 1)
            .Select(i => i / (double)PercentileCurve.ColumnsPerNine)];

    /// <summary>Ticks at each nine, and at the median where there is room.</summary>
    public static PlotAxis RankAxis(double nines)
    {
        List<PlotTick> ticks = [new(0, "0")];
        if (nines < 6)
        {
            ticks.Add(new(PercentileCurve.NinesOf(50), "50"));
        }

        decimal rest = 100;
        for (int i = 1; i <= nines; i++)
        {
            rest /= 10;
            ticks.Add(new(i, PlotText.Rank((double)(100 - rest))));
        }

        return PlotAxis.Given(nines, ticks);
    }

    /// <summary>A strip for each rank that is told, up to halfway to its neighbours.</summary>
    public static IReadOnlyList<PlotStrip> StripsOf(double nines, Func<int, string>? tell)
    {
        if (tell is null)
        {
            return [];
        }

        List<PlotStrip> strips = [];
        double from = 0;
        for (int i = 0; i < PercentileCurve.Told.Count && from < nines; i++)
        {
            double to = i + 1 < PercentileCurve.Told.Count
                ? (PercentileCurve.NinesOf(PercentileCurve.Told[i]) + PercentileCurve.NinesOf(PercentileCurve.Told[i + 1])) / 2
                : nines;
            strips.Add(new(from, Math.Min(to, nines), $"{PlotText.Rank(PercentileCurve.Told[i])} %{tell(i)}"));
            from = to;
        }

        return strips;
    }

    private static double[] Levels(PercentileCurve curve, double unit)
    {
        double[] levels = new double[Edges.Length - 1];
        for (int i = 0; i < levels.Length; i++)
        {
            levels[i] = Edges[i] < curve.Nines ? curve.ColumnAt(i) / unit : double.NaN;
        }

        return levels;
    }

    // From 0, where that leaves the values at least half of the height.
    private static PlotAxis LinearAxis(double smallest, double largest) =>
        PlotAxis.Linear(largest - smallest < largest / 2 && largest > smallest ? smallest : 0, largest, 5);

    // A value of 0 lies at the lower end.
    private static PlotAxis LogarithmicAxis(double smallest, double largest) => PlotAxis.Logarithmic(
        Math.Pow(10, Math.Floor(Math.Log10(smallest))), Math.Pow(10, Math.Ceiling(Math.Log10(largest))), 8);

    private static string Tell(List<(string Name, PercentileCurve Curve)> told, int rank, HdrHistogramPlotOptions options)
    {
        StringBuilder text = new();
        foreach ((string name, PercentileCurve curve) in told)
        {
            if (curve.Total > 0)
            {
                text.Append('\n').Append(HdrHistogramPlot.TooltipName(name)).Append(": ")
                    .Append(options.WithUnit(PlotText.Value(curve.ToldAt(rank), options.ValueUnitRatio)));
            }
        }

        return text.ToString();
    }
}
