using Picollo.PerfEvent;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/performance-counters.md.</summary>
internal static class CountersGuide
{
    public static (IReadOnlyList<string> Counted, IReadOnlyList<string> Missing) Counters()
    {
        using var session = PerfEventCounterSession.Factory
            .WithFixedCounters()                                      // instructions, cycles, reference cycles
            .WithHardwareCounter(PerfHardwareCounterId.BranchMisses)
            .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults)
            .WithOptional()                                           // omit counters that this machine does not have
            .Create();

        using (session.Measure())
        {
            DoWork();
        }

        foreach (PerfEventCounter counter in session.Counters)
        {
            counter.Histogram.GetSummary().PrettyPrint(counter.Name); // ##### Software:PageFaults ...
        }

        foreach (MeasurementUnavailableException omitted in session.UnavailableCounters.Values)
        {
            Console.WriteLine(omitted.Message);                       // Hardware:BranchMisses: this machine exposes no PMU, like most virtual ...
        }

        static void DoWork() => Array.Sort([.. Enumerable.Range(0, 1_000_000).Select(number => Math.Sin(number))]);

        return ([.. session.Counters.Select(counter => counter.Name)], [.. session.UnavailableCounters.Keys]);
    }

    public static long ThreadClock()
    {
        using var clock = new ThreadCpuClock();
        long before = clock.GetNanoseconds();
        DoWork();
        long nanoseconds = clock.GetNanoseconds() - before;

        return nanoseconds;
    }

    private static void DoWork() => Thread.SpinWait(100);
}
