using System.Text;

namespace Picollo.Metrics.Export;

/// <summary>The density over a logarithmic axis: the share of the values in each of many intervals that are equally wide there.</summary>
/// <remarks>
/// A bucket's count is spread evenly over its values; a value v covers v to v + 1, and 0, which has no place on the axis, ½ to 1. The number
/// of intervals follows the Rice rule, 2·∛n (D. Lane, "Online Statistics Education", Histograms), up to what can be pointed at.
/// </remarks>
internal static class DensityPlot
{
    private const double Height = 190;
    private const double PlaceOfZero = 0.5;
    private const int MinIntervals = 16;
    private const int MaxIntervals = 88;

    /// <summary>So many areas can lie over each other and still be seen apart.</summary>
    private const int MaxFilled = 3;

    public static HdrHistogramPlot Make(IReadOnlyList<HdrHistogramSeries> series, HdrHistogramPlotOptions options)
    {
        (double low, double high, double total) = RangeOf(series);
        double[] edges = EdgesOf(low, high, total);
        PlotLines lines = new();
        List<(string Name, double[] Shares)> told = [];
        double largest = 0;
        foreach (HdrHistogramSeries one in series)
        {
            double[]? shares = SharesOf(one.Histogram, edges);
            lines.Add(shares is null ? one.Name + HdrHistogramPlot.NoValues : one.Name, shares ?? Nothing(edges), series.Count <= MaxFilled);
            if (shares is not null)
            {
                largest = Math.Max(largest, shares.Max());
                if (told.Count < PlotPalette.Count)
                {
                    told.Add((one.Name, shares));
                }
            }
        }

        double unit = options.ValueUnitRatio;
        double[] scaled = [.. edges.Select(edge => edge / unit)];
        StepChart chart = new()
        {
            X = PlotAxis.Logarithmic(scaled[0], scaled[^1], 7).WithZeroAt(low == PlaceOfZero ? scaled[0] : null),
            Y = PlotAxis.Linear(0, largest, 4),
            XLabel = options.UnitOr("value") + ", logarithmic",
            YLabel = $"% of the values, by steps of {PlotText.Short((Math.Pow(high / low, 1.0 / (edges.Length - 1)) - 1) * 100)} %",
            Edges = scaled,
            Lines = lines.Lines,
            Band = lines.Band,
            Strips = told.Count == 0 ? [] : StripsOf(scaled, told, options),
        };
        return HdrHistogramPlot.Compose(
            "density", [.. series.Select(one => one.Name)], options, [(chart, Height)], lines.Lines, lines.Band);
    }

    private static double[] Nothing(double[] edges) => [.. Enumerable.Repeat(double.NaN, edges.Length - 1)];

    private static (double Low, double High, double Total) RangeOf(IReadOnlyList<HdrHistogramSeries> series)
    {
        double low = double.PositiveInfinity;
        double high = 0;
        double total = 0;
        Percentile[] ends = new Percentile[2];
        foreach (HdrHistogramSeries one in series)
        {
            one.Histogram.GetPercentiles([0, 100], ends);
            if (ends[1].Count > 0)
            {
                low = Math.Min(low, FromOf(ends[0].Bucket));
                high = Math.Max(high, ToOf(ends[1].Bucket));
                total = Math.Max(total, ends[1].Count);
            }
        }

        return total == 0 ? (1, 10, 0) : (low, high, total);
    }

    private static double[] EdgesOf(double low, double high, double total)
    {
        int intervals = (int)Math.Clamp(2 * Math.Cbrt(total), MinIntervals, MaxIntervals);
        double factor = high / low;
        return [.. Enumerable.Range(0, intervals + 1).Select(i => i == intervals ? high : low * Math.Pow(factor, (double)i / intervals))];
    }

    /// <summary>The percentages of the intervals; null of an empty histogram.</summary>
    private static double[]? SharesOf(ReadOnlyHdrHistogram histogram, double[] edges)
    {
        double[] counts = new double[edges.Length - 1];
        double total = 0;
        int first = 0;
        foreach (Bucket bucket in histogram.BucketsWithValues)
        {
            double from = FromOf(bucket);
            double to = ToOf(bucket);
            total += bucket.Count;
            while (first < counts.Length - 1 && edges[first + 1] <= from)
            {
                first++;
            }

            // A live histogram can have grown past the range since that was read: the ends take what is beyond them.
            for (int i = first; i < counts.Length; i++)
            {
                double begin = i == 0 ? from : Math.Max(from, edges[i]);
                double end = i == counts.Length - 1 ? to : Math.Min(to, edges[i + 1]);
                if (end > begin)
                {
                    counts[i] += bucket.Count * ((end - begin) / (to - from));
                }

                if (end >= to)
                {
                    break;
                }
            }
        }

        return total == 0 ? null : [.. counts.Select(count => count / total * 100)];
    }

    private static double FromOf(Bucket bucket) => bucket.Start == 0 ? PlaceOfZero : bucket.Start;

    private static double ToOf(Bucket bucket) => (double)bucket.Start + bucket.Step;

    private static List<PlotStrip> StripsOf(double[] edges, List<(string Name, double[] Shares)> told, HdrHistogramPlotOptions options)
    {
        List<PlotStrip> strips = [];
        for (int i = 0; i + 1 < edges.Length; i++)
        {
            StringBuilder text = new($"{PlotText.Short(edges[i])} – {options.WithUnit(PlotText.Short(edges[i + 1]))}");
            foreach ((string name, double[] shares) in told)
            {
                text.Append('\n').Append(HdrHistogramPlot.TooltipName(name)).Append(": ").Append(PlotText.Short(shares[i])).Append(" %");
            }

            strips.Add(new(edges[i], edges[i + 1], text.ToString()));
        }

        return strips;
    }
}
