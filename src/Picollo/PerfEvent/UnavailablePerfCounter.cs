namespace Picollo.PerfEvent;

/// <summary>An optional counter that this machine lacks, or that this user may not have.</summary>
/// <param name="Name">As <see cref="PerfEventCounter.Name"/> would have it.</param>
/// <param name="Reason">The cause, and the remedy where there is one.</param>
public readonly record struct UnavailablePerfCounter(string Name, string Reason)
{
    /// <summary>Tells each reason once, however many counters it is the reason of.</summary>
    /// <param name="counters">What cannot be counted.</param>
    /// <returns>Texts such as <c>cycles, instructions: this machine exposes no PMU, …</c>, in the order of the counters.</returns>
    public static IEnumerable<string> Describe(IEnumerable<UnavailablePerfCounter> counters) => counters
        .GroupBy(counter => counter.Reason.StartsWith($"{counter.Name}: ", StringComparison.Ordinal)
            ? counter.Reason[(counter.Name.Length + 2)..]
            : counter.Reason)
        .Select(same => $"{string.Join(", ", same.Select(counter => counter.Name))}: {same.Key}");
}
