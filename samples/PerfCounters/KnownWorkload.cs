using Picollo.PerfEvent;

namespace Picollo.Samples;

/// <summary>Counts events of work with a known size: a chain of 256,000 additions, which take one cycle each.</summary>
public static class KnownWorkload
{
    private const int Rounds = 1_000;

    /// <summary>Measures with hardware counters.</summary>
    /// <exception cref="MeasurementUnavailableException">A counter is unavailable.</exception>
    public static void Run(int repetitions = 10_000)
    {
        CpuPmu.Print();
        using PerfEventCounterSession counterSession = PerfEventCounterSession.Factory
            .WithTarget(0, -1)   // this thread, on any CPU
            .WithPinned(true)    // all counters on the CPU at once, or none
            .WithKernel(false)   // user code only
            .WithEnabled(true)
            .WithFixedCounters() // instructions, cycles, reference cycles
            .WithHardwareCounter(PerfHardwareCounterId.BranchMisses)
            .WithCacheCounter(PerfCacheCounterId.L1DReadMiss)
            .WithCacheCounter(PerfCacheCounterId.L1IReadMiss)
            .Create();

        for (int i = 0; i < repetitions; i++)
        {
            counterSession.Read(forceSyscallRead: true); // all counters at the same time
            CpuUtils.AddChain256(Rounds);
            counterSession.Read(forceSyscallRead: true);
            counterSession.Record(deltas: true);
            if (i == repetitions / 10)
            {
                counterSession.Reset(); // end of the warm-up
            }
        }

        foreach (PerfEventCounter counter in counterSession.Counters)
        {
            counter.Histogram.GetSummary().PrettyPrint(counter.Name);
        }
    }

    /// <summary>Measures without hardware counters, on any machine.</summary>
    public static void RunWithoutPmu(int repetitions = 10_000)
    {
        using SoftwareMeter meter = new();
        for (int i = 0; i < repetitions; i++)
        {
            meter.Measure(() => CpuUtils.AddChain256(Rounds));
            if (i == repetitions / 10)
            {
                meter.Reset();
            }
        }

        foreach ((string name, Metrics.HdrHistogram histogram) in meter.Histograms)
        {
            histogram.GetSummary().PrettyPrint(name);
        }
    }
}
