using Picollo.PerfEvent;
using Picollo.Profiling;
using static Picollo.HelperApp.Faults.Findings;

namespace Picollo.HelperApp.Faults;

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
