namespace Picollo.PerfEvent;

/// <summary>Formats unavailable counters. Picollo.BenchmarkDotNet also compiles this file.</summary>
internal static class UnavailableCounterText
{
    /// <summary>Lists each reason once, with all counters that share it.</summary>
    /// <returns>Texts such as <c>cycles, instructions: this machine exposes no PMU, …</c>, in the order of the counters.</returns>
    public static IEnumerable<string> Describe(IEnumerable<UnavailablePerfCounter> counters) => counters
        .GroupBy(counter => counter.UnavailableReason.StartsWith($"{counter.Name}: ", StringComparison.Ordinal)
            ? counter.UnavailableReason[(counter.Name.Length + 2)..]
            : counter.UnavailableReason)
        .Select(same => $"{string.Join(", ", same.Select(counter => counter.Name))}: {same.Key}");
}
