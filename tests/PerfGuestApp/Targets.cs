using Picollo.PerfEvent;

namespace Picollo.PerfGuestApp;

/// <summary>Checks targets other than the calling thread: the process, threads that start later, a CPU.</summary>
internal static class Targets
{
    private const int Pages = 1000;

    // The maximum number of additional faults when a thread starts and ends. If a thread is not counted, its 1,000 faults are missing.
    private const ulong ExtraFaults = 200;

    private static PerfEventCounterSessionFactory Faults => Counting.Of(PerfSoftwareCounterId.PageFaults);

    public static Thread[] Start(int count, Action<int> work)
    {
        Thread[] threads = [.. Enumerable.Range(0, count).Select(number => new Thread(() => work(number)))];
        Array.ForEach(threads, thread => thread.Start());
        return threads;
    }

    public static void Join(Thread[] threads) => Array.ForEach(threads, thread => thread.Join());

    public static void Process()
    {
        using var go = new ManualResetEventSlim();
        Thread[] earlier = Start(3, _ =>
        {
            go.Wait();
            Kernel.TouchFreshPages(Pages);
        });
        using PerfEventCounterSession session = Faults.WithProcess(0).Create();
        session.Read();
        go.Set();
        Join(earlier);
        session.Read();
        Check.Within("faults of three threads", session.Counters[0].Delta.Value, 3 * Pages, (3 * Pages) + (3 * ExtraFaults));
        session.Read();
        Join(Start(2, _ => Kernel.TouchFreshPages(Pages)));
        session.Read();
        Check.Within("faults of two threads that started later", session.Counters[0].Delta.Value, 2 * Pages, (2 * Pages) + (2 * ExtraFaults));
        Check.Within("faults of all threads", session.Counters[0].Value, 5 * Pages, (5 * Pages) + (5 * ExtraFaults));
    }

    public static void Inherited()
    {
        foreach (bool isInherited in (bool[])[true, false])
        {
            using PerfEventCounterSession session = Faults.WithInherited(isInherited).Create();
            ulong faults = Counting.Count(session, () => Join(Start(3, _ => Kernel.TouchFreshPages(Pages))));
            ulong least = isInherited ? 3 * Pages : 0ul;
            Check.Within(isInherited ? "faults with inherited counters" : "faults without inherited counters", faults, least, least + (3 * ExtraFaults));
        }
    }

    /// <summary>Counts all threads on a CPU, and the calling thread only while it runs on that CPU.</summary>
    public static void Cpus()
    {
        for (int cpu = 0; cpu < 2; cpu++)
        {
            Kernel.RunOn(cpu);
            foreach (bool ofThread in (bool[])[false, true])
            {
                using PerfEventCounterSession here = On(cpu).Create();
                using PerfEventCounterSession there = On(1 - cpu).Create();
                ulong onOther = 0;
                ulong onThis = Counting.Count(here, () => onOther = Counting.Count(there, () => Kernel.TouchFreshPages(Pages)));
                // The action runs twice within the outer count. A count of all threads includes the faults of the runtime's threads.
                Check.Within($"faults on CPU {cpu}", onThis, 2 * Pages, (2 * Pages) + (3 * ExtraFaults));
                Check.Within($"faults on the other CPU, {1 - cpu}", onOther, 0, ofThread ? 0ul : 3 * ExtraFaults);

                PerfEventCounterSessionFactory On(int number) => ofThread ? Faults.WithTarget(0, number) : Faults.WithCpu(number);
            }
        }
    }
}
