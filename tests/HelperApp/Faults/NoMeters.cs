using System.Diagnostics.Metrics;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.HelperApp.Faults;

/// <summary>An application that has disabled its meters.</summary>
internal static class NoMeters
{
    public static void Run()
    {
        AppContext.SetSwitch("System.Diagnostics.Metrics.Meter.IsSupported", false); // before the runtime reads it
        HdrHistogramRegistry registry = new();
        using MeterHistograms meters = MeterHistograms.Start(registry, new MeterHistogramsOptions().AddMeter("*"));
        using Meter meter = new("App");
        Histogram<int> size = meter.CreateHistogram<int>("size");
        size.Record(1);
        Console.WriteLine($"reason={meters.UnavailableReason ?? "none"}");
        Console.WriteLine($"series={registry.Registrations.Count}");
        Console.WriteLine($"enabled={size.Enabled}");
    }
}
