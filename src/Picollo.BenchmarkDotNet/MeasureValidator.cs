using BenchmarkDotNet.Running;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.BenchmarkDotNet.Measuring;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>What is wrong with the measures asked for, or with this machine for them; said before the run, which goes on without.</summary>
internal static class MeasureValidator
{
    public static IReadOnlyList<string> Validate(IEnumerable<BenchmarkCase> benchmarks) =>
        [.. benchmarks.Select(benchmark => benchmark.Config).Distinct().SelectMany(config => Problems(MeasureSet.Of(config))).Distinct()];

    private static IEnumerable<string> Problems(IReadOnlyList<MeasureSet> sets)
    {
        if (sets.Any(set => set.IsOfCounters && !MeasureRequest.CountersOf(set.Measures).Any()))
        {
            yield return "[PerfCounters] and AddPicollo count what they name, and one names nothing; such as [PerfCounters(PerfHardwareCounterId.Instructions)].";
        }

        BenchmarkCounter[] counters = [.. MeasureRequest.CountersOf(sets.SelectMany(set => set.Measures))];
        foreach (IGrouping<string, BenchmarkCounter> same in counters.GroupBy(counter => counter.Name).Where(same => same.Count() > 1))
        {
            yield return $"The counter {same.Key} is named {same.Count()} times and counted once.";
        }

        foreach (string problem in counters.Distinct().Select(counter => counter.Problem).OfType<string>())
        {
            yield return $"A counter is left out: {problem}";
        }

        MeasureRequest request = MeasureRequest.Of(sets, isAwaited: false);
        using (var tried = PerfEventBenchmarkCounters.Open(request))
        {
            foreach (string problem in tried.Unavailable)
            {
                yield return problem;
            }
        }

        int hardware = request.Counters.Count(counter => counter.NeedsPmu);
        if (PerfEventCounterSession.TryGetNumberOfCounters(out uint fixedCounters, out uint programmable) && hardware > fixedCounters + programmable)
        {
            yield return $"{hardware} hardware counters are asked for and the CPU has {fixedCounters + programmable}: they take turns, and their counts are scaled.";
        }
    }
}
