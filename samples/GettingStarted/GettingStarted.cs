using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>Creates a histogram, records values, and compares two summaries.</summary>
public static class GettingStarted
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

        histogram.Record(40_000); // out of range: counted separately, does not throw

        HdrHistogramSummary before = histogram.GetSummary();
        Console.WriteLine($"P99: {before.P99}"); // a percentile includes its bucket

        histogram.Reset();
        for (int i = 0; i < 2_000_000; i++)
        {
            histogram.Record(measurements.NextAfter());
        }

        HdrHistogramSummary after = histogram.GetSummary();
        before.PrettyPrint("Histogram Before");
        before.PrettyPrintDiff(after, "Getting Started Diff", "Before", "After");
    }
}
