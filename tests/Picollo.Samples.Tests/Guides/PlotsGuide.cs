using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/plots.md.</summary>
internal static class PlotsGuide
{
    public static string Plots()
    {
        HdrHistogram before = Simulate(30);
        HdrHistogram after = Simulate(24);
        KeyValuePair<string, ReadOnlyHdrHistogram>[] series = [new("before", before), new("after", after)];
        HdrHistogramUnit milliseconds = new() { Name = "ms", Ratio = 1e6 };

        using (StreamWriter report = File.CreateText("latency.html"))
        {
            HdrHistogramPlot.WriteReport(report, series, milliseconds, "Checkout latency");
        }

        File.WriteAllText("percentiles.svg", HdrHistogramPlot.CreatePercentiles(series, milliseconds).ToSvgDocument());

        string html = HdrHistogramPlot.CreateDensity(series, milliseconds).ToSvgElement()
            + HdrHistogramPlot.CreateDifference(series[0], series[1], milliseconds).ToSvgElement();

        return html;

        static HdrHistogram Simulate(double milliseconds)             // in your program: the latencies of two runs
        {
            var latency = HdrHistogram.Factory.WithRelativeError(0.01).Create();
            var random = new Random(1);
            for (int request = 0; request < 100_000; request++)
            {
                latency.Record((ulong)(milliseconds * 1e6 * (1 - Math.Log(1 - random.NextDouble()))));  // nanoseconds
            }

            return latency;
        }
    }
}
