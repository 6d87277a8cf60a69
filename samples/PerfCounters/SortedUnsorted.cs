using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Samples;

/// <summary>Why the same loop is faster over sorted values: the branch that depends on them is then predicted.</summary>
public static class SortedUnsorted
{
    private const int Count = 1_000_000;

    /// <summary>With the CPU's counters; throws where one of them is missing.</summary>
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
        HdrHistogramSummary unsortedCycles = counterSession.Counters.Hardware.CpuCycles!.Histogram.GetSummary();
        HdrHistogramSummary unsortedMisses = counterSession.Counters.Hardware.BranchMisses!.Histogram.GetSummary();

        counterSession.Reset();
        Array.Sort(values);
        Repeat();
        HdrHistogramSummary sortedCycles = counterSession.Counters.Hardware.CpuCycles!.Histogram.GetSummary();
        HdrHistogramSummary sortedMisses = counterSession.Counters.Hardware.BranchMisses!.Histogram.GetSummary();

        unsortedCycles.PrettyPrintDiff(sortedCycles, "CpuCycles", "Unsorted", "Sorted");
        unsortedMisses.PrettyPrintDiff(sortedMisses, "BranchMisses", "Unsorted", "Sorted");
    }

    /// <summary>With what every machine has.</summary>
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

    // The floating-point sum keeps the compiler from doing without the branch.
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
            throw new InvalidOperationException("A sum of nothing negative.");
        }
    }
}
