namespace Picollo.PerfEvent;

/// <summary>Formats unavailable counters. Picollo.BenchmarkDotNet also compiles this file.</summary>
internal static class UnavailableCounterText
{
    /// <summary>Lists each reason once, with all counters that share it.</summary>
    /// <returns>Texts such as <c>cycles, instructions: this machine exposes no PMU, …</c>, in the order of the counters.</returns>
    public static IEnumerable<string> Describe(IEnumerable<KeyValuePair<string, MeasurementUnavailableException>> counters) => counters
        .GroupBy(counter => counter.Value.Message.StartsWith($"{counter.Key}: ", StringComparison.Ordinal)
            ? counter.Value.Message[(counter.Key.Length + 2)..]
            : counter.Value.Message)
        .Select(same => $"{string.Join(", ", same.Select(counter => counter.Key))}: {same.Key}");
}
