using Picollo.Cpu;
using Picollo.HelperApp.Faults;
using Picollo.PerfEvent;

namespace Picollo.PerfGuestApp;

/// <summary>Compares the clocks of threads that compute and sleep with those of the kernel.</summary>
internal static class ThreadClocks
{
    // The value of ThreadCpuClock.ResyncIntervalNanoseconds, which is internal.
    private const long ResyncIntervalNanoseconds = 10_000_000;

    private const int Readings = 10_000;

    public static void PrintFacts()
    {
        using (var clock = new ThreadCpuClock())
        {
            Findings.Print("reads-in-user-space", clock.ReadsInUserSpace);
            Findings.Print("clock-reason", clock.UnavailableReason);
            PrintSystemCalls(clock);
        }

        Findings.Print("thread-clock-errors", Follow(threads: 3, rounds: 2000, out long furthest));
        Findings.Print("thread-clock-furthest-nanoseconds", furthest);
    }

    /// <summary>Prints the number of system calls for thousands of readings, and the maximum number of resynchronizations.</summary>
    private static void PrintSystemCalls(ThreadCpuClock clock)
    {
        using PerfEventCounterSession calls = Tracepoints.CallsOf("clock_gettime");
        using PerfEventCounterSession switches = Counting.Of(PerfSoftwareCounterId.ContextSwitches).Create();
        long start = clock.GetNanoseconds();
        switches.Read();
        ulong count = Counting.Count(calls, () =>
        {
            for (int i = 0; i < Readings; i++)
            {
                _ = clock.GetNanoseconds();
            }
        });
        switches.Read();
        long taken = clock.GetNanoseconds() - start;
        Findings.Print("thread-clock-readings", Readings);
        Findings.Print("thread-clock-system-calls", count);
        Findings.Print("thread-clock-resynchronizations", switches.Counters[0].Delta.Value + (ulong)(taken / ResyncIntervalNanoseconds) + 1);
    }

    /// <summary>Returns the number of times that a clock decreased, and the largest deviation from the kernel's readings around
    /// it.</summary>
    private static int Follow(int threads, int rounds, out long furthest)
    {
        int errors = 0;
        long worst = 0;
        var gate = new Lock();
        var workers = Enumerable.Range(0, threads).Select(_ => new Thread(() =>
        {
            using var clock = new ThreadCpuClock();
            long last = 0, worstHere = 0;
            for (int i = 0; i < rounds; i++)
            {
                CpuUtils.AddChain256(50);
                if (i % 20 == 0)
                {
                    Thread.Sleep(1);
                }

                long before = CpuUsageReader.GetThreadTimeNanoseconds();
                long now = clock.GetNanoseconds();
                long after = CpuUsageReader.GetThreadTimeNanoseconds();
                if (now < last)
                {
                    Interlocked.Increment(ref errors);
                }

                last = now;
                worstHere = Math.Max(worstHere, Math.Max(before - now, now - after));
            }

            lock (gate)
            {
                worst = Math.Max(worst, worstHere);
            }
        })).ToList();
        workers.ForEach(worker => worker.Start());
        workers.ForEach(worker => worker.Join());
        furthest = worst;
        return errors;
    }
}
