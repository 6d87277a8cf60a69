using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Samples;

/// <summary>Shows why a loop is faster with sorted values: the CPU predicts the branch that depends on the values.</summary>
public static class SortedUnsorted
{
    private const int Count = 1_000_000;

    /// <summary>Measures with hardware counters.</summary>
    /// <exception cref="MeasurementUnavailableException">A counter is unavailable.</exception>
    public static void Run(int repetitions = 1_000)
    {
        CpuPmu.Print();
        byte[] values = RandomValues();
        using PerfEventCounterSession counterSession = PerfEventCounterSession.Factory
            .WithKernel(false)
            .WithEnabled(true)
            .WithHardwareCounter(PerfHardwareCounterId.CpuCycles)
            .WithHardwareCounter(PerfHardwareCounterId.BranchMisses)
            .Create();

        void Repeat()
        {
            for (int i = 0; i < repetitions; i++)
            {
                counterSession.Read(forceSyscallRead: true);
                Aggregate(values);
                counterSession.Read(forceSyscallRead: true);
                counterSession.Record(deltas: true);
            }
        }

        Repeat();
        HdrHistogramSummary unsortedCycles = counterSession.Counters.CpuCycles!.Histogram.GetSummary();
        HdrHistogramSummary unsortedMisses = counterSession.Counters.BranchMisses!.Histogram.GetSummary();

        counterSession.Reset();
        Array.Sort(values);
        Repeat();
        HdrHistogramSummary sortedCycles = counterSession.Counters.CpuCycles!.Histogram.GetSummary();
        HdrHistogramSummary sortedMisses = counterSession.Counters.BranchMisses!.Histogram.GetSummary();

        unsortedCycles.PrettyPrintDiff(sortedCycles, "CpuCycles", "Unsorted", "Sorted");
        unsortedMisses.PrettyPrintDiff(sortedMisses, "BranchMisses", "Unsorted", "Sorted");
    }

    /// <summary>Measures without hardware counters, on any machine.</summary>
    public static void RunWithoutPmu(int repetitions = 1_000)
    {
        byte[] values = RandomValues();
        using SoftwareMeter meter = new();

        HdrHistogramSummary[] Repeat()
        {
            for (int i = 0; i < repetitions; i++)
            {
                meter.Measure(() => Aggregate(values));
            }

            return [.. meter.Histograms.Select(named => named.Histogram.GetSummary())];
        }

        HdrHistogramSummary[] unsorted = Repeat();
        meter.Reset();
        Array.Sort(values);
        HdrHistogramSummary[] sorted = Repeat();
        for (int i = 0; i < sorted.Length; i++)
        {
            unsorted[i].PrettyPrintDiff(sorted[i], meter.Histograms[i].Name, "Unsorted", "Sorted");
        }
    }

    private static byte[] RandomValues()
    {
        byte[] values = new byte[Count];
        Random.Shared.NextBytes(values);
        return values;
    }

    // The floating-point sum prevents the compiler from removing the branch.
    private static void Aggregate(byte[] values)
    {
        double sum = 0;
        foreach (byte value in values)
        {
            if (value >= 128)
            {
                sum += 100;
            }
            else
            {
                sum *= 0.9999;
            }
        }

        if (sum < 0)
        {
            throw new InvalidOperationException("The sum of non-negative values is negative.");
        }
    }
}
