using Picollo.PerfEvent;

namespace Picollo.Samples;

/// <summary>The CPU's own counters, as far as there are any.</summary>
public static class CpuPmu
{
    /// <summary>Prints how many the CPU tells of.</summary>
    public static void Print()
    {
        if (!PerfEventCounterSession.TryGetNumberOfCounters(out uint fixedCounters, out uint programmableCounters))
        {
            Console.WriteLine("CPU PMU: unavailable");
        }

        Console.WriteLine($"CPU PMU: fixedCounters={fixedCounters}, programmableCounters={programmableCounters}");
    }

    /// <summary>Runs what needs them; where that cannot be, says why and runs the other.</summary>
    public static void RunOrElse(Action withPmu, Action withoutPmu)
    {
        try
        {
            withPmu();
        }
        catch (MeasurementUnavailableException e)
        {
            Console.WriteLine($"The CPU's counters cannot be had. {e.Message}");
            Console.WriteLine("The same work with CPU time, the CPU's clock and the kernel's own counters instead:");
            withoutPmu();
        }
    }
}
