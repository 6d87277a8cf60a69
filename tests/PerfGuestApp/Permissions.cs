using Picollo.HelperApp.Faults;
using Picollo.PerfEvent;

namespace Picollo.PerfGuestApp;

/// <summary>Prints the counters that each level of kernel.perf_event_paranoid refuses to root, to an ordinary user, and to a user with a
/// capability.</summary>
internal static class Permissions
{
    public static void PrintFacts()
    {
        foreach (int level in (int[])[3, 2, 1, 0, -1])
        {
            Kernel.Paranoid = level;
            Try($"paranoid-{level}-root-");
            Kernel.AsUser(null, () => Try($"paranoid-{level}-user-"));
            Kernel.AsUser(Kernel.CapPerfmon, () => Try($"paranoid-{level}-perfmon-"));
            Kernel.AsUser(Kernel.CapSysAdmin, () => Try($"paranoid-{level}-admin-"));
        }

        // The files of tracefs belong to root.
        Kernel.Paranoid = 1;
        Findings.Prefix = "";
        PerfEventCounterSessionFactory tracepoint = PerfEventCounterSession.Factory.WithTracepoint("sched:sched_switch");
        Kernel.AsUser(null, () => Findings.PrintOutcome("tracepoint", tracepoint));
        Kernel.RemountTracing("mode=755");
        Kernel.AsUser(null, () => Findings.PrintOutcome("tracepoint-for-all", tracepoint));
        Kernel.RemountTracing("mode=750,gid=1000");
        Kernel.AsUser(null, () => Findings.PrintOutcome("tracepoint-for-the-group", tracepoint));
    }

    private static void Try(string prefix)
    {
        Findings.Prefix = prefix;
        Refusals.Run();
        using var clock = new ThreadCpuClock();
        Findings.Print("clock", clock.UnavailableReason);
    }
}
