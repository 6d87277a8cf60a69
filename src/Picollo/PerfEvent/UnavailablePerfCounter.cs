namespace Picollo.PerfEvent;

/// <summary>An optional counter that this machine lacks, or that this user may not have.</summary>
/// <param name="Name">As <see cref="PerfEventCounter.Name"/> would have it.</param>
/// <param name="Reason">The cause, and the remedy where there is one.</param>
public readonly record struct UnavailablePerfCounter(string Name, string Reason);
