using System.Diagnostics.Metrics;
using Picollo.Metrics;

namespace Picollo.Scheduling;

/// <summary>The instruments of all pools, of the <see cref="Meter"/> "Picollo.Scheduling".</summary>
internal static class CpuWorkerMetrics
{
    public const string MeterName = "Picollo.Scheduling";

    private const string Pool = "picollo.cpu_worker.pool.name", Task = "picollo.cpu_worker.task.name";

    private static readonly Meter Meter = new(MeterName);

    private static readonly Histogram<double> QueueWait = Meter.CreateHistogram<double>(
        "picollo.cpu_worker.queue.duration", "s", "How long tasks waited for a worker.");

    private static readonly Histogram<double> SliceLength = Meter.CreateHistogram<double>(
        "picollo.cpu_worker.slice.duration", "s", "How long tasks had a worker at a stretch.");

    private static readonly Histogram<double> Overrun = Meter.CreateHistogram<double>(
        "picollo.cpu_worker.overrun.duration", "s", "From the moment a task was asked to give up its worker to its next checkpoint.");

    public static void Record(string pool, in SliceReport report)
    {
        if (QueueWait.Enabled)
        {
            QueueWait.Record(Seconds(report.Waited), new KeyValuePair<string, object?>(Pool, pool));
        }

        if (SliceLength.Enabled)
        {
            SliceLength.Record(Seconds(report.Length), new KeyValuePair<string, object?>(Pool, pool));
        }

        if (report.Overrun is { } overrun && Overrun.Enabled)
        {
            Overrun.Record(Seconds(overrun), new(Pool, pool), new(Task, report.Task));
        }
    }

    private static double Seconds(long ticks) => NanoScope.TicksToNanos(ticks) / 1e9;
}
