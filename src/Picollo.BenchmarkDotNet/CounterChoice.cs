using Picollo.BenchmarkDotNet.Reports;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>Which of the counters that are named a session can have together, and what is wrong with the others.</summary>
/// <param name="Counters">In the order of their names, each once.</param>
/// <param name="Problems">A sentence each.</param>
internal sealed record CounterChoice(IReadOnlyList<BenchmarkCounter> Counters, IReadOnlyList<string> Problems)
{
    public static CounterChoice Of(IReadOnlyCollection<PicolloMeasure> measures)
    {
        IReadOnlyList<string> taken = measures.Contains(PicolloMeasure.CpuUsage) ? MeasureMetrics.NamesOfCpu : [];
        List<BenchmarkCounter> counters = [];
        List<string> problems = [];
        PerfEventCounterSessionFactory factory = PerfEventCounterSession.Factory;
        foreach (IGrouping<string, BenchmarkCounter> same in measures
            .Select(measure => measure?.Counter)
            .OfType<BenchmarkCounter>()
            .GroupBy(counter => counter.Name))
        {
            BenchmarkCounter counter = same.First();
            if (taken.Contains(counter.Name))
            {
                problems.Add($"The counter \"{counter.Name}\" is left out: a column of CPU usage has that name.");
                continue;
            }

            try
            {
                factory = counter.AddTo(factory);
                counters.Add(counter);
                if (same.Count() > 1)
                {
                    problems.Add($"The counter {counter.Name} is named {same.Count()} times and counted once.");
                }
            }
            catch (ArgumentException e)
            {
                problems.Add($"The counter \"{counter.Name}\" is left out: {Sentence(e)}");
            }
        }

        return new(counters, problems);
    }

    // Without the parameter's name and the value, which the framework adds: they are of our calls.
    private static string Sentence(ArgumentException e)
    {
        int end = e.Message.IndexOf(" (Parameter '", StringComparison.Ordinal);
        return end < 0 ? e.Message : e.Message[..end];
    }
}
