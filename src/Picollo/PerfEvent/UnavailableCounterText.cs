namespace Picollo.PerfEvent;

/// <summary>Text of unavailable counters. Picollo.BenchmarkDotNet compiles this file, too.</summary>
internal static class UnavailableCounterText
{
    /// <summary>Lists each reason once, with all counters that have it.</summary>
    /// <returns>Texts such as <c>cycles, instructions: this machine exposes no PMU, …</c>, in the order of the counters.</returns>
    public static IEnumerable<string> Describe(IEnumerable<UnavailablePerfCounter> counters) => counters
        .GroupBy(counter => counter.UnavailableReason.StartsWith($"{counter.Name}: ", StringComparison.Ordinal)
            ? counter.UnavailableReason[(counter.Name.Length + 2)..]
            : counter.UnavailableReason)
        .Select(same => $"{string.Join(", ", same.Select(counter => counter.Name))}: {same.Key}");
}
