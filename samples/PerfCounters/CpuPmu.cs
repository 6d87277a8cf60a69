using Picollo.PerfEvent;

namespace Picollo.Samples;

/// <summary>The hardware counters of the CPU.</summary>
public static class CpuPmu
{
    /// <summary>Prints the number of counters that the CPU reports.</summary>
    public static void Print()
    {
        if (!PerfEventCounterSession.TryGetNumberOfCounters(out uint fixedCounters, out uint programmableCounters))
        {
            Console.WriteLine("CPU PMU: unavailable");
        }

        Console.WriteLine($"CPU PMU: fixedCounters={fixedCounters}, programmableCounters={programmableCounters}");
    }

    /// <summary>Runs an action that needs hardware counters. If they are unavailable, prints the reason and runs the other action.</summary>
    public static void RunOrElse(Action withPmu, Action withoutPmu)
    {
        try
        {
            withPmu();
        }
        catch (MeasurementUnavailableException e)
        {
            Console.WriteLine($"The hardware counters are unavailable. {e.Message}");
            Console.WriteLine("The same work, measured with CPU time, the CPU's time counter and the kernel's software counters:");
            withoutPmu();
        }
    }
}
