namespace Picollo.PerfEvent;

/// <summary>An optional counter that this machine lacks, or that this user may not have. Immutable.</summary>
public readonly record struct UnavailablePerfCounter
{
    internal UnavailablePerfCounter(string name, string unavailableReason) => (Name, UnavailableReason) = (name, unavailableReason);

    /// <summary>The name that <see cref="PerfEventCounter.Name"/> would have.</summary>
    public string Name { get; }

    /// <summary>The cause, and the remedy where there is one.</summary>
    public string UnavailableReason { get; }
}
