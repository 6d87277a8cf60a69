using Picollo.HelperApp.Faults;
using Picollo.PerfEvent;

namespace Picollo.PerfGuestApp;

/// <summary>Checks a session from its creation, which may fail, to its disposal.</summary>
internal static class Life
{
    private static PerfEventCounterSessionFactory Faults => Counting.Of(PerfSoftwareCounterId.PageFaults);

    public static void Switching()
    {
        foreach (bool isInherited in (bool[])[false, true])
        {
            using PerfEventCounterSession session = Faults.WithInherited(isInherited).WithEnabled(false).Create();
            Check.Within("faults before the session is enabled", Touch(session), 0, 0);
            Check.That(session.Counters[0].RunningShare is null, "a counter that was never enabled has a running share");
            session.Enable();
            Check.Within("faults while it is enabled", Touch(session), 100, 110);
            session.Disable();
            Check.Within("faults while it is disabled", Touch(session), 0, 0);
            session.Enable();
            Check.Within("faults after it is enabled again", Touch(session), 100, 110);
            Check.Within("total faults", session.Counters[0].Value, 400, 1000);
        }
    }

    public static void Refused()
    {
        bool isCreated = Faults.WithFixedCounters().TryCreate(out PerfEventCounterSession? session, out MeasurementUnavailableException? failure);
        Check.That(!isCreated && session is null, "a session was created, although this machine has no PMU");
        Check.That(failure!.Message.Contains("Hardware:Instructions: this machine exposes no PMU", StringComparison.Ordinal), failure.Message);
        Check.That(failure.Message.EndsWith("(perf_event_open: ENOENT)", StringComparison.Ordinal), failure.Message);
        try
        {
            _ = Faults.WithFixedCounters().Create();
            Check.That(false, "a session was created");
        }
        catch (MeasurementUnavailableException e)
        {
            Check.That(e.Message == failure.Message, e.ToString());
        }
    }

    public static void FilesAreClosed()
    {
        string before = string.Join(' ', Descriptors.Open());
        foreach (PerfEventCounterSessionFactory factory in (PerfEventCounterSessionFactory[])
            [
                Faults, Faults.WithSoftwareCounter(PerfSoftwareCounterId.TaskClock), Faults.WithInherited(true), Faults.WithProcess(0),
                Faults.WithCpu(0), Faults.WithTracepoint("sched:sched_switch"),
            ])
        {
            PerfEventCounterSession session = factory.Create();
            int open = Descriptors.Counters();
            session.Dispose();
            session.Dispose();
            Check.That(open > 0 && Descriptors.Counters() == 0, $"{Descriptors.Counters()} of {open} counters remain open");
        }

        // Fails after some counters are open.
        Check.That(!Faults.WithFixedCounters().TryCreate(out _, out _), "a session was created without a PMU");
        Check.That(!Faults.WithProcess(0).WithFixedCounters().TryCreate(out _, out _), "a session of the process was created without a PMU");
        string after = string.Join(' ', Descriptors.Open());
        Check.That(after == before, $"the open files changed from {before} to {after}");
    }

    private static ulong Touch(PerfEventCounterSession session) => Counting.Count(session, () => Kernel.TouchFreshPages(100));
}
