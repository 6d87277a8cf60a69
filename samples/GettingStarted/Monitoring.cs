using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>
/// Prints a line per second about a histogram into which another thread records at full speed. The tail of the values changes with the time
/// of day, so that the lines differ and some values are out of range.
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

            // Neither call allocates: the snapshot and the summary are reused.
            snapshot.Update(deltas: true);
            snapshot.GetSummary(summary);
            Console.WriteLine($"{summary.TimestampUtc:HH:mm:ss.fff} | {summary.ToString(nameof(Monitoring))}");
        }

        histogram.GetSummary().PrettyPrint("Aggregate");
    }
}
