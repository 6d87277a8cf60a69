namespace Picollo.Diagnostics;

/// <summary>What the runtime of this process has done until a moment. Immutable; the difference of two covers the time between
/// them.</summary>
public sealed record RuntimeTotals
{
    /// <summary>The number of garbage collections of generation 0 and above, since the process started
    /// (<see cref="GC.CollectionCount"/>).</summary>
    public required long Gen0Collections { get; init; }

    /// <summary>The number of those of generation 1 and above.</summary>
    public required long Gen1Collections { get; init; }

    /// <summary>The number of those of generation 2.</summary>
    public required long Gen2Collections { get; init; }

    /// <summary>The time for which garbage collections stopped all threads, since the process started
    /// (<see cref="GC.GetTotalPauseDuration"/>).</summary>
    public required TimeSpan GcPauseTime { get; init; }

    /// <summary>The bytes that were allocated, since the process started (<see cref="GC.GetTotalAllocatedBytes"/>); up to one allocation
    /// context of each thread (8 KB) too high.</summary>
    public required long AllocatedBytes { get; init; }

    /// <summary>The number of exceptions that were thrown, including those that were caught, since the meter started. Exceptions that are
    /// thrown again count again.</summary>
    public required long Exceptions { get; init; }

    /// <summary>The number of methods that were compiled, since the process started (<c>JitInfo</c>); a method counts once for each of its
    /// tiers. 0 with Native AOT.</summary>
    public required long CompiledMethods { get; init; }

    /// <summary>The time that all threads spent compiling methods, since the process started.</summary>
    public required TimeSpan CompilationTime { get; init; }
}
