using Picollo.Metrics;

namespace Picollo.Export.Tests.Plots;

/// <summary>Sample data for plots, here and in the browser tests.</summary>
internal static class SomeLatencies
{
    /// <summary>Returns latencies in nanoseconds with a tail, about 1 to 20 ms.</summary>
    public static HdrHistogram Of(int seed)
    {
        HdrHistogram histogram = HdrHistogram.Create();
        Random random = new(seed);
        for (int i = 0; i < 20_000; i++)
        {
            double tail = 1 / Math.Pow(1 - random.NextDouble(), 0.25);
            histogram.Record((ulong)(1e6 * (tail + (seed * 0.3 * random.NextDouble()))));
        }

        return histogram;
    }
}
