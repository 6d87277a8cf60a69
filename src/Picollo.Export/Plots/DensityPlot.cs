namespace Picollo.Export.Plots;

/// <summary>Draws the density over a logarithmic axis: the percentage of the values in each of many intervals, which have equal widths on
/// that axis.</summary>
/// <remarks>
/// A bucket's count is spread evenly over the bucket's part of the axis, so that the curve is flat within a bucket. A bucket of a single
/// value v covers v to v + 1. The value 0 is not on a logarithmic axis. If there are zeros, they have a separate column at the start of the
/// axis, as wide as an interval, which is followed by an empty part. The number of intervals follows the Rice rule, 2·∛n (D. Lane, "Online
/// Statistics Education", Histograms), up to the number that a pointer can select.
/// </remarks>
internal static class DensityPlot
{
    private const double Height = 190;

    /// <summary>The minimum part of the axis for zeros and the empty column after them, which must fit their label.</summary>
    private const double ZeroPart = 0.07;

    /// <summary>The start of the only column if all values are zeros.</summary>
    private const double ZeroAlone = 0.5;

    private const int MinIntervals = 16;
    private const int MaxIntervals = 88;

    /// <summary>The maximum number of overlapping areas that remain distinguishable.</summary>
    private const int MaxFilled = 3;

    public static HdrHistogramPlot Make(IReadOnlyList<PlotSeries> series, PlotOptions options) =>
        HdrHistogramPlot.Compose("density", series, options, MakeChart(series, options));

    public static StepChart MakeChart(IReadOnlyList<PlotSeries> series, PlotOptions options)
    {
        Columns columns = ColumnsOf(series);
        PlotLines lines = new();
        List<(PlotSeries Series, double[] Shares)> named = [];
        double largest = 0;
        foreach (PlotSeries item in series)
        {
            double[]? shares = SharesOf(item.Buckets, columns);
            lines.Add(item, shares ?? [.. Enumerable.Repeat(double.NaN, columns.Count)], series.Count <= MaxFilled);
            if (shares is not null)
            {
                largest = Math.Max(largest, shares.Max());
                if (named.Count < PlotPalette.Count)
                {
                    named.Add((item, shares));
                }
            }
        }

        PlotUnit unit = new(options.Unit);
        double[] scaled = [.. columns.Edges.Select(edge => edge / unit.Ratio)];
        PlotAxis axis = PlotAxis.Logarithmic(scaled[0], scaled[^1], 7, unit.Tick);
        return new()
        {
            Height = Height,
            X = columns.HasZero ? axis.WithZeroAt((scaled[0] + scaled[1]) / 2, scaled[columns.First]) : axis,
            Y = PlotAxis.Linear(0, largest, 4),
            XLabel = unit.LogarithmicAxisLabel,
            YLabel = $"% of the values in each interval, {PlotNumber.Short((columns.Factor - 1) * 100)} % wide",
            Edges = scaled,
            Lines = lines,
            Strips = named.Count == 0 ? [] : StripsOf(columns, scaled, named, unit),
        };
    }

    // Edges has the start of each column, and the end of the last one. First is the index of the first column on the logarithmic axis. If
    // there are zeros, it follows their column and an empty one. Factor is the ratio of an interval's end to its start.
    private sealed record Columns(double[] Edges, int First, double Factor)
    {
        public int Count => Edges.Length - 1;

        public bool HasZero => First > 0;
    }

    private static Columns ColumnsOf(IReadOnlyList<PlotSeries> series)
    {
        double low = double.PositiveInfinity;
        double high = 0;
        double total = 0;
        bool hasZero = false;
        foreach (PlotBucket[] buckets in series.Select(item => item.Buckets))
        {
            total = Math.Max(total, TotalOf(buckets));
            foreach (PlotBucket bucket in buckets)
            {
                if (bucket.Start == 0)
                {
                    hasZero = true;
                    continue;
                }

                low = Math.Min(low, bucket.Start);
                high = Math.Max(high, EndOf(bucket));
            }
        }

        if (high == 0)
        {
            if (hasZero)
            {
                return new([ZeroAlone, 1], 1, 1 / ZeroAlone);
            }

            (low, high) = (1, 10);
        }

        int intervals = (int)Math.Clamp(2 * Math.Cbrt(total), MinIntervals, MaxIntervals);
        double range = Math.Log(high / low);
        double factor = Math.Exp(range / intervals);
        IEnumerable<double> edges = Enumerable.Range(0, intervals + 1)
            .Select(i => i == intervals ? high : low * Math.Exp(range * i / intervals));
        if (!hasZero)
        {
            return new([.. edges], 0, factor);
        }

        double zero = low * Math.Exp(-Math.Max(2 * range / intervals, ZeroPart * range));
        return new([zero, zero * factor, .. edges], 2, factor);
    }

    // The sum of the integers would wrap at 2⁶⁴.
    private static double TotalOf(PlotBucket[] buckets) => buckets.Sum(bucket => (double)bucket.Count);

    /// <summary>Returns the percentage of the values in each column; null for an empty histogram.</summary>
    private static double[]? SharesOf(PlotBucket[] buckets, Columns columns)
    {
        if (buckets.Length == 0)
        {
            return null;
        }

        (double[] edges, int first) = (columns.Edges, columns.First);
        double toPercent = 100 / TotalOf(buckets);
        double[] shares = new double[columns.Count];
        int column = first;
        foreach (PlotBucket bucket in buckets)
        {
            double share = bucket.Count * toPercent;
            if (bucket.Start == 0)
            {
                shares[0] = share;
                continue;
            }

            (double from, double to) = (bucket.Start, EndOf(bucket));
            while (column < shares.Length - 1 && edges[column + 1] <= from)
            {
                column++;
            }

            double perUnit = share / Math.Log(to / from);
            for (int j = column; j < shares.Length && edges[j] < to; j++)
            {
                double begin = Math.Max(from, edges[j]);
                double end = Math.Min(to, edges[j + 1]);
                shares[j] += perUnit * Math.Log(end / begin);
            }
        }

        return shares;
    }

    private static double EndOf(PlotBucket bucket) => (double)bucket.Start + bucket.Step;

    private static List<PlotStrip> StripsOf(
        Columns columns, double[] edges, List<(PlotSeries Series, double[] Shares)> named, PlotUnit unit)
    {
        List<PlotStrip> strips = [];
        if (columns.HasZero)
        {
            strips.Add(new(edges[0], edges[columns.First], unit.Zero + Shares(0)));
        }

        for (int i = columns.First; i < columns.Count; i++)
        {
            strips.Add(new(edges[i], edges[i + 1], unit.Range(columns.Edges[i], columns.Edges[i + 1]) + Shares(i)));
        }

        return strips;

        string Shares(int column) => string.Concat(
            named.Select(item => $"\n{item.Series.ShortName}: {PlotNumber.Short(item.Shares[column])} %"));
    }
}
