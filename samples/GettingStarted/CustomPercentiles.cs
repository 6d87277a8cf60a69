using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>Reads percentiles at selected ranks, in one consistent batch and one at a time.</summary>
public static class CustomPercentiles
{
    public static void Run()
    {
        var histogram = HdrHistogram.Factory
            .WithRelativeError(0.01)
            .WithUInt32Storage()
            .WithMinTrackableValue(10_000)
            .WithMaxTrackableValue(30_000)
            .Create();

        Measurements measurements = new();
        for (int i = 0; i < 1_000_000; i++)
        {
            histogram.Record(measurements.NextBefore());
        }

        ReadOnlySpan<double> ranks = [90, 91, 92, 93, 94, 95, 96, 97, 98];

        var percentiles = new Percentile[ranks.Length];
        histogram.GetPercentiles(ranks, percentiles);
        foreach (Percentile percentile in percentiles)
        {
            Console.WriteLine(percentile);
        }

        foreach (double rank in ranks)
        {
            ulong value = histogram.GetPercentileValue(rank); // if a writer is active, each call can return a later state
            Console.WriteLine($"{rank:N0}: {value:N0}");
        }
    }
}
