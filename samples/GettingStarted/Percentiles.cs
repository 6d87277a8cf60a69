using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>Prints all buckets with values and their percentile ranks. See also <c>Buckets</c>,
/// <c>BucketsWithValues</c> and <c>BucketPercentiles</c>.</summary>
public static class Percentiles
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

        foreach (Percentile percentile in histogram.BucketPercentilesWithValues)
        {
            Console.WriteLine(percentile);
        }
    }
}
