using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>Prints the tables of <see cref="GettingStarted"/> from snapshots. The histogram is not reset and keeps its totals.</summary>
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

        snapshot.Update(deltas: true); // the values that were recorded since the snapshot was taken
        HdrHistogramSummary after = snapshot.GetSummary();
        before.PrettyPrint("Histogram Before");
        before.PrettyPrintDiff(after, "Getting Started Diff", "Before", "After");
    }
}
