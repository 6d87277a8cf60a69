using System.Diagnostics.Metrics;
using Picollo.Metrics;

namespace Picollo.Scheduling;

/// <summary>The instruments of the <see cref="Meter"/> "Picollo.Scheduling", which all pools share.</summary>
internal static class CpuWorkerMetrics
{
    public const string MeterName = "Picollo.Scheduling";

    private const string Pool = "picollo.cpu_worker.pool.name", Task = "picollo.cpu_worker.task.name";

    // Without advice, an SDK uses boundaries of 0, 5, 10 and more seconds, so that all values would be in one bucket.
    private static readonly InstrumentAdvice<double> Advice = new()
    {
        HistogramBucketBoundaries =
        [
            0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
            0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
        ],
    };

    private static readonly Meter Meter = new(MeterName);

    private static readonly Histogram<double>? QueueWait = TryCreate(
        Meter, "picollo.cpu_worker.queue.duration", "Time that tasks waited for a worker.");

    private static readonly Histogram<double>? SliceLength = TryCreate(
        Meter, "picollo.cpu_worker.slice.duration", "Time that tasks had a worker without interruption.");

    private static readonly Histogram<double>? Overrun = TryCreate(
        Meter, "picollo.cpu_worker.overrun.duration", "Time from the request to yield the worker to the task's next checkpoint.");

    /// <summary>Whether <see cref="Record(string, in SliceReport)"/> may call code of the application.</summary>
    public static bool HasListeners => QueueWait is { Enabled: true } || SliceLength is { Enabled: true } || Overrun is { Enabled: true };

    public static void Record(string pool, in SliceReport report)
    {
        Record(QueueWait, report.Waited, pool);
        Record(SliceLength, report.Length, pool);
        if (report.Overrun is { } overrun)
        {
            Record(Overrun, overrun, pool, report.Task?.Name);
        }
    }

    /// <summary>Creates an instrument; returns null if a listener throws when it is published. The first worker that ends a slice creates
    /// the instruments, and an exception in the static constructor would end every pool.</summary>
    internal static Histogram<double>? TryCreate(Meter meter, string name, string description)
    {
        try
        {
            return meter.CreateHistogram(name, "s", description, tags: null, Advice);
        }
        catch (Exception)
        {
            return null; // thrown by a listener, which is the application's code
        }
    }

    private static void Record(Histogram<double>? instrument, long ticks, string pool, string? task = null)
    {
        if (instrument is not { Enabled: true })
        {
            return;
        }

        double seconds = NanoScope.TicksToNanos(ticks) / 1e9;
        var tags = new TagList { { Pool, pool } };
        if (task is not null)
        {
            tags.Add(Task, task);
        }

        try
        {
            instrument.Record(seconds, tags);
        }
        catch (Exception)
        {
            // A listener is the application's code. Its exception does not belong to the task and must not end the thread.
        }
    }
}
