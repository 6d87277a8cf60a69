namespace Picollo.PerfEvent;

/// <summary>An optional counter that this machine lacks, or that this user may not have. Immutable.</summary>
public readonly record struct UnavailablePerfCounter
{
    internal UnavailablePerfCounter(string name, string unavailableReason) => (Name, UnavailableReason) = (name, unavailableReason);

    /// <summary>The name that <see cref="PerfEventCounter.Name"/> would have.</summary>
    public string Name { get; }

    /// <summary>The cause, and the remedy where there is one.</summary>
    public string UnavailableReason { get; }

    /// <summary>Lists each reason once, with all counters that have it.</summary>
    /// <param name="counters">The unavailable counters.</param>
    /// <returns>Texts such as <c>cycles, instructions: this machine exposes no PMU, …</c>, in the order of the counters.</returns>
    public static IEnumerable<string> Describe(IEnumerable<UnavailablePerfCounter> counters) => counters
        .GroupBy(counter => counter.UnavailableReason.StartsWith($"{counter.Name}: ", StringComparison.Ordinal)
            ? counter.UnavailableReason[(counter.Name.Length + 2)..]
            : counter.UnavailableReason)
        .Select(same => $"{string.Join(", ", same.Select(counter => counter.Name))}: {same.Key}");
}
