namespace Picollo.Diagnostics;

/// <summary>The totals of this process's runtime at a point in time. Immutable. Subtract the values of two readings to get the totals of
/// the time between them.</summary>
public sealed record RuntimeTotals
{
    /// <summary>The number of garbage collections of generation 0 and above, since the process started
    /// (<see cref="GC.CollectionCount"/>).</summary>
    public required long Gen0Collections { get; init; }

    /// <summary>The number of garbage collections of generation 1 and above, since the process started.</summary>
    public required long Gen1Collections { get; init; }

    /// <summary>The number of garbage collections of generation 2, since the process started.</summary>
    public required long Gen2Collections { get; init; }

    /// <summary>The time for which garbage collections paused all threads, since the process started
    /// (<see cref="GC.GetTotalPauseDuration"/>).</summary>
    public required TimeSpan GcPauseTime { get; init; }

    /// <summary>The number of bytes allocated since the process started (<see cref="GC.GetTotalAllocatedBytes"/>). The value can be too
    /// high by up to 8 KB per thread, the size of its allocation context.</summary>
    public required long AllocatedBytes { get; init; }

    /// <summary>The number of exceptions thrown since the meter started, including those that were caught. A rethrown exception counts
    /// again.</summary>
    public required long Exceptions { get; init; }

    /// <summary>The number of methods compiled since the process started (<c>JitInfo</c>). A method counts once for each of its tiers. 0
    /// with Native AOT.</summary>
    public required long CompiledMethods { get; init; }

    /// <summary>The time that all threads spent compiling methods, since the process started.</summary>
    public required TimeSpan CompilationTime { get; init; }
}
