using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>
/// A thread that records as fast as it can, watched by another that prints a line a second. The tail drifts with the time of
/// day, so that the lines differ and some values leave the range.
/// </summary>
public static class Monitoring
{
    public static void Run(int seconds = 10)
    {
        var histogram = HdrHistogram.Factory
            .WithRelativeError(0.01)
            .WithUInt64Storage()
            .WithMinTrackableValue(10_000)
            .WithMaxTrackableValue(30_000)
            .Create();

        // Taken before the first record, so that the lines add up to the aggregate.
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        HdrHistogramSummary summary = new();

        using CancellationTokenSource stop = new();
        Task writer = Task.Run(() =>
        {
            Measurements measurements = new();
            do
            {
                ulong drift = (ulong)DateTime.UtcNow.TimeOfDay.TotalMilliseconds & 16383;
                histogram.Record(measurements.NextDrifting(drift));
            }
            while (!stop.IsCancellationRequested);
        });

        for (int second = 1; second <= seconds; second++)
        {
            Thread.Sleep(1_000);
            if (second == seconds)
            {
                stop.Cancel();
                writer.Wait();
            }

            // Neither allocates: what was recorded since the last update, into the summary of last time.
            snapshot.Update(deltas: true);
            snapshot.GetSummary(summary);
            Console.WriteLine($"{summary.TimestampUtc:HH:mm:ss.fff} | {summary.ToString(nameof(Monitoring))}");
        }

        histogram.GetSummary().PrettyPrint("Aggregate");
    }
}
