using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>The tables of <see cref="GettingStarted"/> from a histogram that is never reset, so that its totals go on.</summary>
public static class GettingStartedSnapshot
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

        histogram.Record(40_000);

        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        HdrHistogramSummary before = snapshot.GetSummary();
        Console.WriteLine($"P99: {before.P99}");

        for (int i = 0; i < 2_000_000; i++)
        {
            histogram.Record(measurements.NextAfter());
        }

        snapshot.Update(deltas: true); // now it shows what was recorded since it was taken
        HdrHistogramSummary after = snapshot.GetSummary();
        before.PrettyPrint("Histogram Before");
        before.PrettyPrintDiff(after, "Getting Started Diff", "Before", "After");
    }
}
