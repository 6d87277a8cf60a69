using System.Runtime.CompilerServices;
using Picollo.PerfEvent;

namespace Picollo.HelperApp.Faults;

/// <summary>Creates sessions and clocks that are not disposed.</summary>
internal static class Dropped
{
    private const int Sessions = 2_000;

    /// <summary>A tenth of the descriptors that all of them would take together.</summary>
    private const ulong MostFiles = 400;

    public static void Run()
    {
        using (var clock = new ThreadCpuClock())
        {
            Findings.Print("clock-held", Descriptors.Counters());
            Findings.Print("clock-needs", clock.ReadsInUserSpace ? 1 : 0);
        }

        Findings.Print("held", DropOne());
        Collect();
        Findings.Print("after-collection", Descriptors.Counters());

        Descriptors.Limit(MostFiles);
        for (int i = 0; i < Sessions; i++)
        {
            Create();
            if (i % 100 == 0)
            {
                Collect(); // the runtime would collect by itself, but not before the files run out
            }
        }

        Collect();
        Descriptors.Unlimit();
        Findings.Print("sessions", Sessions);
        Findings.Print("after-sessions", Descriptors.Counters());
        Findings.Print("pages-after-sessions", Descriptors.Pages());
        using (PerfEventCounterSession session = PerfEventCounterSession.Factory.WithSoftwareCounter(PerfSoftwareCounterId.PageFaults).Create())
        {
            Findings.Print("pages-of-a-session", Descriptors.Pages());
        }

        Findings.Print("pages-after-disposal", Descriptors.Pages());
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static int DropOne()
    {
        Create();
        _ = new ThreadCpuClock().GetNanoseconds();
        return Descriptors.Counters();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Create() => PerfEventCounterSession.Factory
        .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults)
        .WithSoftwareCounter(PerfSoftwareCounterId.TaskClock)
        .Create().Read();

    private static void Collect()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
    }
}
