using Picollo.Cpu;
using Picollo.PerfEvent;
using static Picollo.PerfEvent.PerfSoftwareCounterId;

namespace Picollo.PerfGuestApp;

/// <summary>Compares the counters of the calling thread with known events, or with other values of the kernel.</summary>
internal static class Counting
{
    public static PerfEventCounterSessionFactory Of(params ReadOnlySpan<PerfSoftwareCounterId> ids)
    {
        PerfEventCounterSessionFactory factory = PerfEventCounterSession.Factory;
        foreach (PerfSoftwareCounterId id in ids)
        {
            factory = factory.WithSoftwareCounter(id);
        }

        return factory;
    }

    /// <summary>Returns the count of the first counter for the second run of an action; the first run compiles it.</summary>
    public static ulong Count(PerfEventCounterSession session, Action action)
    {
        ulong delta = 0;
        for (int i = 0; i < 2; i++)
        {
            session.Read();
            action();
            session.Read();
            delta = session.Counters[0].Delta.Value;
        }

        return delta;
    }

    public static void PageFaults()
    {
        using PerfEventCounterSession session = Of(PerfSoftwareCounterId.PageFaults, MinorPageFaults, MajorPageFaults).Create();
        ulong faults = Count(session, () => Kernel.TouchFreshPages(1000));
        Check.Within("page faults of 1,000 pages", faults, 1000, 1010); // and of the page tables
        Check.That(session.Counters[MinorPageFaults]!.Delta.Value == faults, "without a disk, all faults must be minor ones");
        Check.That(session.Counters[MajorPageFaults]!.Value == 0, "a fault needed a disk");
        Check.That(Count(session, () => { }) == 0, "an empty action caused a fault");
    }

    /// <summary>If the emulated CPU itself is stopped, a sleep may end before the thread has given up its CPU.</summary>
    public static void ContextSwitches()
    {
        using PerfEventCounterSession session = Of(PerfSoftwareCounterId.ContextSwitches).Create();
        for (int i = 0; i < 2; i++)
        {
            ulong outerStart = Kernel.Switches();
            session.Read();
            ulong innerStart = Kernel.Switches();
            for (int sleeps = 0; sleeps < 50; sleeps++)
            {
                Thread.Sleep(1);
            }

            ulong inner = Kernel.Switches() - innerStart;
            session.Read();
            ulong outer = Kernel.Switches() - outerStart;
            Check.That(inner >= 25, "fewer than half of the sleeps gave up the CPU");
            Check.Within("context switches in 50 sleeps", session.Counters[0].Delta.Value, inner, outer);
        }
    }

    public static void Migrations()
    {
        using PerfEventCounterSession session = Of(CpuMigrations).Create();
        Kernel.RunOn(0);
        for (int i = 0; i < 2; i++)
        {
            session.Read();
            for (int moves = 1; moves <= 100; moves++)
            {
                Kernel.RunOn(moves & 1);
            }

            session.Read();
            Check.Within("migrations in 100 moves", session.Counters[0].Delta.Value, 100, 100);
        }
    }

    /// <summary>The emulator may stop a CPU in an interrupt for any time. One clock counts this time, but the other may not.</summary>
    public static void TaskClock()
    {
        const ulong tolerance = 50_000_000;
        using PerfEventCounterSession session = Of(PerfSoftwareCounterId.TaskClock, PerfSoftwareCounterId.PageFaults).Create();
        for (int i = 0; i < 2; i++)
        {
            long outerStart = CpuUsageReader.GetThreadTimeNanoseconds();
            session.Read();
            long start = CpuUsageReader.GetThreadTimeNanoseconds();
            long end;
            while ((end = CpuUsageReader.GetThreadTimeNanoseconds()) - start < 200_000_000)
            {
            }

            session.Read();
            long outer = CpuUsageReader.GetThreadTimeNanoseconds() - outerStart;
            Check.Within("task clock", session.Counters[0].Delta.Value, (ulong)(end - start) - tolerance, (ulong)outer + tolerance);
        }

        Check.That(session.Counters[0].RunningShare == 1 && session.Counters[1].RunningShare == 1, "a software counter did not run all the time");
        session.Read();
        Thread.Sleep(200);
        session.Read();
        Check.Within("task clock over a sleep", session.Counters[0].Delta.Value, 0, tolerance);
    }
}
