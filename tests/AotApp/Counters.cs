using System.Runtime.InteropServices;
using Picollo;
using Picollo.PerfEvent;

namespace AotApp;

/// <summary>Counts events with counters that every machine has.</summary>
internal static class Counters
{
    private const int Pages = 1000;

    public static void Run()
    {
        PerfEventCounterSessionFactory factory = PerfEventCounterSession.Factory
            .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults).WithSoftwareCounter(PerfSoftwareCounterId.TaskClock);
        if (!factory.TryCreate(out PerfEventCounterSession? session, out MeasurementUnavailableException? failure))
        {
            Facts.Print("counters-unavailable", failure.Message);
            return;
        }

        using (session)
        {
            using (session.Measure())
            {
                Touch();
            }

            Facts.Print("counters", string.Join(' ', session.Counters.Select(counter => counter.Name)));
            Facts.Print("page-faults", session.Counters[0].Histogram.GetPercentileValue(100) > 0);
            Facts.Print("task-clock", session.Counters[1].Histogram.GetPercentileValue(100) > 0);
        }
    }

    // The kernel maps new memory at the first write.
    private static unsafe void Touch()
    {
        nuint page = (nuint)Environment.SystemPageSize;
        byte* memory = (byte*)NativeMemory.Alloc(Pages * page);
        for (nuint at = 0; at < Pages * page; at += page)
        {
            memory[at] = 1;
        }

        NativeMemory.Free(memory);
    }
}
