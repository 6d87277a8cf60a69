using Picollo.Diagnostics;
using Picollo.Metrics;
using Picollo.PerfEvent;
using Picollo.Profiling;
using System.Diagnostics.Metrics;
using static Picollo.HelperApp.Faults.Findings;

namespace Picollo.HelperApp.Faults;

internal static class Tracepoints
{
    public static void Run()
    {
        if (!PerfEventCounterSession.Factory.WithTracepoint("sched:sched_switch").TryCreate(out PerfEventCounterSession? session, out MeasurementUnavailableException? failure))
        {
            Findings.Print("problem", failure.Message);
            return;
        }

        using (session)
        {
            session.Read();
            for (int i = 0; i < 5; i++)
            {
                Thread.Sleep(1);
            }

            session.Read();
            Findings.Print("name", session.Counters[0].Name);
            Findings.Print("switches", session.Counters[0].Delta.Value);
        }
    }
}

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

/// <summary>Loads the native library while no more files can be opened, and again when they can.</summary>
internal static class LateLibrary
{
    public static void Run()
    {
        Limits.LoadEverything();
        Descriptors.Limit((ulong)Descriptors.FillHoles() + 1);
        string? without;
        using (var clock = new ThreadCpuClock())
        {
            without = clock.UnavailableReason;
        }

        Descriptors.Unlimit();
        Findings.Print("without", without);
        using (var clock = new ThreadCpuClock())
        {
            Findings.Print("with", clock.UnavailableReason);
        }
    }
}

/// <summary>Prints the messages for a user without privileges.</summary>
internal static class Refusals
{
    public static void Run()
    {
        PerfEventCounterSessionFactory faults = PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.PageFaults);
        PrintOutcome("own-code", faults);
        PrintOutcome("kernel", faults.WithKernel(true));
        PrintOutcome("cpu", faults.WithCpu(0));
        PrintOutcome("no-cpu", faults.WithCpu(100_000));
        PrintOutcome("other-user", faults.WithThread(1));
        PrintOutcome("context-switches", PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.ContextSwitches));
        PrintOutcome("profile", new CpuProfilerOptions());
        PrintOutcome("profile-kernel", new CpuProfilerOptions { IncludeKernel = true });
        PrintOutcome("hardware", PerfEventCounterSession.Factory.WithHardwareCounter(PerfHardwareCounterId.Instructions));

        using PerfEventCounterSession session = faults.WithSoftwareCounter(PerfSoftwareCounterId.ContextSwitches).WithOptional().Create();
        Print("optional", string.Join(' ', session.Counters.Select(counter => counter.Name)));
        Print("unavailable", string.Join(' ', session.UnavailableCounters.Values.Select(failure => failure.Message)));
    }
}
