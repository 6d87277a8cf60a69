using Picollo.PerfEvent;

namespace Picollo.PerfGuestApp;

/// <summary>Checks tracepoints, and counts the system calls of sessions with tracepoints.</summary>
internal static class Tracepoints
{
    public static void NotMounted()
    {
        bool isCreated = PerfEventCounterSession.Factory.WithTracepoint("sched:sched_switch")
            .TryCreate(out _, out MeasurementUnavailableException? failure);
        Check.That(!isCreated && failure!.Message.Contains("mount -t tracefs tracefs /sys/kernel/tracing", StringComparison.Ordinal), $"the mount command is not in the message: {failure?.Message}");
    }

    public static void Switches()
    {
        using PerfEventCounterSession session = Counting.Of(PerfSoftwareCounterId.ContextSwitches).WithTracepoint("sched:sched_switch").Create();
        session.Read();
        for (int i = 0; i < 50; i++)
        {
            Thread.Sleep(1);
        }

        session.Read();
        ulong switches = session.Counters[0].Delta.Value;
        Check.Within("switches in 50 sleeps", switches, 25, 10_000);
        Check.Within("hits of sched:sched_switch", session.Counters["sched:sched_switch"]!.Delta.Value, switches, switches);
    }

    public static void SystemCalls()
    {
        using PerfEventCounterSession session = CallsOf("getppid");
        ulong calls = Counting.Count(session, () =>
        {
            for (int i = 0; i < 1000; i++)
            {
                Kernel.CallTheSystem();
            }
        });
        Check.Within("calls of getppid", calls, 1000, 1000);
    }

    /// <summary>A group is read in one call; clocks are read in a separate call.</summary>
    public static void OneCallForAGroup()
    {
        PerfEventCounterSessionFactory five = Counting.Of(
            PerfSoftwareCounterId.PageFaults, PerfSoftwareCounterId.MinorPageFaults, PerfSoftwareCounterId.MajorPageFaults,
            PerfSoftwareCounterId.ContextSwitches, PerfSoftwareCounterId.CpuMigrations);
        Check.Within("system calls of 100 reads of a group of 5", ReadsOf(five), 100, 100);
        Check.Within("system calls of 100 reads with the task clock", ReadsOf(five.WithSoftwareCounter(PerfSoftwareCounterId.TaskClock)), 200, 200);
        Check.Within("system calls of 100 reads with inherited counters", ReadsOf(five.WithInherited(true)), 500, 500);
    }

    /// <summary>Counts the system calls with a given name on the calling thread.</summary>
    public static PerfEventCounterSession CallsOf(string systemCall) =>
        PerfEventCounterSession.Factory.WithTracepoint($"syscalls:sys_enter_{systemCall}").Create();

    private static ulong ReadsOf(PerfEventCounterSessionFactory factory)
    {
        using PerfEventCounterSession session = factory.Create();
        using PerfEventCounterSession calls = CallsOf("read");
        return Counting.Count(calls, () =>
        {
            for (int i = 0; i < 100; i++)
            {
                session.Read();
            }
        });
    }
}
