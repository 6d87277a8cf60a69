using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.PerfGuestApp;

/// <summary>Checks nested regions on two concurrent threads.</summary>
internal static class Regions
{
    private const int Rounds = 5;

    /// <summary>Each thread has its own session.</summary>
    public static void OfThreadsByThemselves()
    {
        using var together = new Barrier(2);
        var problems = new string?[2];
        Targets.Join(Targets.Start(2, number =>
        {
            using PerfEventCounterSession session = Counting.Of(PerfSoftwareCounterId.PageFaults).Create();
            HdrHistogram faults = session.Counters[0].Histogram;
            Nest(session, together); // compiles the methods
            session.Reset();
            Nest(session, together);
            bool areAll = faults.TotalCount == 3 * Rounds && faults.GetCountBetween(100, 105) == Rounds
                && faults.GetCountBetween(300, 310) == Rounds && faults.GetCountBetween(600, 620) == Rounds;
            problems[number] = areAll ? null : faults.GetSummary().ToString("faults");
        }));
        Check.That(problems is [null, null], $"{problems[0]} {problems[1]}");
    }

    /// <summary>Both threads use one session of the whole process: the regions of a thread include the events of the other
    /// thread.</summary>
    public static void OfAProcess()
    {
        using var together = new Barrier(2);
        using PerfEventCounterSession session = Counting.Of(PerfSoftwareCounterId.PageFaults).WithProcess(0).Create();
        Targets.Join(Targets.Start(2, _ => Nest(session, together)));
        HdrHistogram faults = session.Counters[0].Histogram;
        Check.Within("number of regions", faults.TotalCount, 2 * 3 * Rounds, 2 * 3 * Rounds);
        Check.Within("faults of the smallest region", faults.GetPercentileValue(0), 100, 600);
        Check.Within("regions with at least 300 faults", faults.GetCountBetween(299, ulong.MaxValue), 2 * 2 * Rounds, 2 * 3 * Rounds);
        Check.Within("regions with at least 600 faults", faults.GetCountBetween(599, ulong.MaxValue), 2 * Rounds, 2 * 2 * Rounds);
    }

    private static void Nest(PerfEventCounterSession session, Barrier together)
    {
        for (int i = 0; i < Rounds; i++)
        {
            together.SignalAndWait();
            using (session.Measure())
            {
                using (session.Measure())
                {
                    using (session.Measure())
                    {
                        Kernel.TouchFreshPages(100);
                    }

                    Kernel.TouchFreshPages(200);
                }

                Kernel.TouchFreshPages(300);
            }
        }
    }
}
