using BenchmarkDotNet.Running;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.BenchmarkDotNet.Measuring;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>What is wrong with the measures asked for, or with this machine for them; said before the run, which goes on without.</summary>
internal static class MeasureValidator
{
    public static IReadOnlyList<string> Validate(IEnumerable<BenchmarkCase> benchmarks)
    {
        uint? pmuCounters = PerfEventCounterSession.TryGetNumberOfCounters(out uint fixedCounters, out uint programmable)
            ? fixedCounters + programmable
            : null;
        return [.. benchmarks
            .Select(benchmark => benchmark.Config)
            .Distinct()
            .SelectMany(config => Problems(MeasureSet.Of(config), Unavailable, pmuCounters))
            .Distinct()];
    }

    /// <param name="sets">What is asked for.</param>
    /// <param name="unavailable">Tries it on a machine, and tells what that does not have.</param>
    /// <param name="pmuCounters">How many counters the machine's PMU has; null if that is not known.</param>
    internal static IEnumerable<string> Problems(
        IReadOnlyList<MeasureSet> sets, Func<MeasureRequest, IReadOnlyList<string>> unavailable, uint? pmuCounters)
    {
        if (sets.Any(set => set.IsOfCounters && !set.Measures.Any(measure => measure?.Counter is not null)))
        {
            yield return "[PerfCounters] and AddPicollo count what they name, and one names nothing; "
                + "such as [PerfCounters(PerfHardwareCounterId.Instructions)].";
        }

        foreach (string reason in CounterChoice.Of([.. sets.SelectMany(set => set.Measures)]).Problems)
        {
            yield return reason;
        }

        MeasureRequest request = MeasureRequest.Of(sets, isAwaited: false);
        foreach (string reason in unavailable(request))
        {
            yield return reason;
        }

        int hardware = request.Counters.Count(counter => counter.NeedsPmu);
        if (hardware > pmuCounters)
        {
            yield return $"{hardware} hardware counters are asked for and the CPU has {pmuCounters}: "
                + "they take turns, and their counts are scaled.";
        }
    }

    private static IReadOnlyList<string> Unavailable(MeasureRequest request)
    {
        using var tried = PerfEventBenchmarkCounters.Open(request);
        return tried.Unavailable;
    }
}
