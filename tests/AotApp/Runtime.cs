using System.Diagnostics.Metrics;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace AotApp;

/// <summary>Measures the events of the runtime and the instruments of meters.</summary>
internal static class Runtime
{
    public static async Task Run()
    {
        using (RuntimeMeter runtime = RuntimeMeter.Start())
        {
            GC.Collect();
            await WaitForLock();
            await Facts.Until(() => Task.FromResult(
                runtime.GcPauses.TotalCount > 0 && runtime.ThreadPoolDelays.TotalCount > 0 && runtime.LockWaits.TotalCount > 0));
            Facts.Print("runtime-unavailable", string.Join(' ', runtime.UnavailableReasons));
            Facts.Print("pause-was-induced", runtime.GcPausesByCause.Any(cause => cause.Labels.Any(label => label.Value == "induced")));
            Facts.Print("collections", runtime.GetTotals() is { Gen2CollectionCount: > 0, CompiledMethodCount: null });
        }

        HdrHistogramRegistry registry = new();
        using MeterHistograms meters = MeterHistograms.Start(registry, new MeterHistogramsOptions().AddMeter("AotApp"));
        using Meter meter = new("AotApp");
        Histogram<double> seconds = meter.CreateHistogram<double>("seconds", unit: "s");
        Histogram<int> bytes = meter.CreateHistogram<int>("bytes", unit: "By");
        foreach (string country in new[] { "de", "fr" })
        {
            seconds.Record(0.25, new KeyValuePair<string, object?>("country", country), new KeyValuePair<string, object?>("status", 200));
            bytes.Record(512, new KeyValuePair<string, object?>("country", country));
        }

        Facts.Print("meters", string.Join(' ', registry.Registrations.Select(series => $"{series}:{series.Histogram.TotalCount}").Order(StringComparer.Ordinal)));
    }

    private static async Task WaitForLock()
    {
        object gate = new();
        Thread thread = new(() =>
        {
            lock (gate)
            {
            }
        });
        Hold(gate, thread);
        await Task.Run(thread.Join);
    }

    // Holds the lock until the thread waits for it.
    private static void Hold(object gate, Thread thread)
    {
        lock (gate)
        {
            thread.Start();
            SpinWait.SpinUntil(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0, Facts.Deadline);
            Thread.Sleep(1);
        }
    }
}
