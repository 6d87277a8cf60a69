using Picollo.Diagnostics;
using Picollo.HelperApp.Faults;

namespace Picollo.HelperApp;

/// <summary>Runs the runtime meter in a process with special settings of the collector, the thread pool or event sources.</summary>
internal static class RuntimePauses
{
    private const int Collections = 10;

    private static readonly TimeSpan Deadline = TimeSpan.FromSeconds(60);

    /// <summary>Runs collections of several kinds, and prints their causes.</summary>
    public static void Run()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        byte[][] live = new byte[10_000][];
        for (int i = 0; i < Collections; i++)
        {
            for (int k = 0; k < live.Length; k++)
            {
                live[k] = new byte[200];
            }

            GC.Collect();
            GC.Collect(2, GCCollectionMode.Forced, blocking: false);
        }

        GC.KeepAlive(live);
        GC.Collect(); // waits for a background collection
        WaitUntil(() => InducedCount(meter) > Collections);

        Findings.Print("unavailable", string.Join(' ', meter.UnavailableReasons));
        meter.Dispose(); // prevents further pauses while they are read
        Findings.Print("pauses", meter.GcPauses.TotalCount);
        Findings.Print("sum", meter.GcPausesByCause.Aggregate(0UL, (sum, cause) => sum + cause.Histogram.TotalCount));
        foreach (var cause in meter.GcPausesByCause)
        {
            Findings.Print(string.Join(' ', cause.Labels.Select(label => label.Value)), cause.Histogram.TotalCount);
        }
    }

    /// <summary>Blocks every thread of the pool and waits for values in the histogram.</summary>
    public static void RunStarved()
    {
        int threads = Environment.ProcessorCount;
        ThreadPool.SetMinThreads(threads, 1);
        ThreadPool.SetMaxThreads(threads, 1);
        using ManualResetEventSlim go = new();
        using CountdownEvent blocked = new(threads);
        for (int i = 0; i < threads; i++)
        {
            ThreadPool.QueueUserWorkItem(_ =>
            {
                blocked.Signal();
                go.Wait();
            });
        }

        blocked.Wait();
        using RuntimeMeter meter = RuntimeMeter.Start();
        WaitUntil(() => meter.ThreadPoolDelays.TotalCount >= 2);
        Findings.Print("ages", meter.ThreadPoolDelays.TotalCount);
        go.Set();
    }

    public static void RunWithoutEvents()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        WaitUntil(() => meter.ThreadPoolDelays.TotalCount > 0);
        Findings.Print("unavailable", string.Join(' ', meter.UnavailableReasons));
        Findings.Print("delays", meter.ThreadPoolDelays.TotalCount > 0);
        // In a process with events, reading the precise value would allocate events of suspensions.
        Findings.Print("allocated", Enumerable.Range(0, 10).Min(_ => AllocatedBytes(meter)));
    }

    /// <summary>Returns the bytes that the whole process allocates while five items run in the thread pool. The minimum of several rounds
    /// is the steady state, because a histogram allocates further counters in some rounds.</summary>
    private static long AllocatedBytes(RuntimeMeter meter)
    {
        const int Items = 5;
        long before = GC.GetTotalAllocatedBytes(precise: true);
        ulong count = meter.ThreadPoolDelays.TotalCount;
        while (meter.ThreadPoolDelays.TotalCount < count + Items)
        {
            Thread.Sleep(5);
        }

        return GC.GetTotalAllocatedBytes(precise: true) - before;
    }

    private static ulong InducedCount(RuntimeMeter meter) => meter.GcPausesByCause
        .Where(cause => cause.Labels[1].Value == "induced")
        .Aggregate(0UL, (sum, cause) => sum + cause.Histogram.TotalCount);

    private static void WaitUntil(Func<bool> condition)
    {
        if (!SpinWait.SpinUntil(
            () =>
            {
                Thread.Sleep(5);
                return condition();
            },
            Deadline))
        {
            throw new TimeoutException();
        }
    }
}
