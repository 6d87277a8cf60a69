namespace Picollo.PerfEvent;

/// <summary>The hardware counters of a session by name: <c>session.Counters.Hardware.CpuCycles!.Histogram</c>. A counter that is not in the
/// session is <see langword="null"/>.</summary>
public sealed class PerfHardwareCounters
{
    private readonly PerfEventCounters _counters;

    internal PerfHardwareCounters(PerfEventCounters counters) => _counters = counters;

    /// <inheritdoc cref="PerfHardwareCounterId.CpuCycles"/>
    public PerfEventCounter? CpuCycles => _counters[PerfHardwareCounterId.CpuCycles];

    /// <inheritdoc cref="PerfHardwareCounterId.Instructions"/>
    public PerfEventCounter? Instructions => _counters[PerfHardwareCounterId.Instructions];

    /// <inheritdoc cref="PerfHardwareCounterId.CacheReferences"/>
    public PerfEventCounter? CacheReferences => _counters[PerfHardwareCounterId.CacheReferences];

    /// <inheritdoc cref="PerfHardwareCounterId.CacheMisses"/>
    public PerfEventCounter? CacheMisses => _counters[PerfHardwareCounterId.CacheMisses];

    /// <inheritdoc cref="PerfHardwareCounterId.BranchInstructions"/>
    public PerfEventCounter? BranchInstructions => _counters[PerfHardwareCounterId.BranchInstructions];

    /// <inheritdoc cref="PerfHardwareCounterId.BranchMisses"/>
    public PerfEventCounter? BranchMisses => _counters[PerfHardwareCounterId.BranchMisses];

    /// <inheritdoc cref="PerfHardwareCounterId.BusCycles"/>
    public PerfEventCounter? BusCycles => _counters[PerfHardwareCounterId.BusCycles];

    /// <inheritdoc cref="PerfHardwareCounterId.StalledCyclesFrontend"/>
    public PerfEventCounter? StalledCyclesFrontend => _counters[PerfHardwareCounterId.StalledCyclesFrontend];

    /// <inheritdoc cref="PerfHardwareCounterId.StalledCyclesBackend"/>
    public PerfEventCounter? StalledCyclesBackend => _counters[PerfHardwareCounterId.StalledCyclesBackend];

    /// <inheritdoc cref="PerfHardwareCounterId.RefCpuCycles"/>
    public PerfEventCounter? RefCpuCycles => _counters[PerfHardwareCounterId.RefCpuCycles];
}

/// <summary>The software counters of a session by name: <c>session.Counters.Software.PageFaults!.Histogram</c>. A counter that is not in
/// the session is <see langword="null"/>.</summary>
public sealed class PerfSoftwareCounters
{
    private readonly PerfEventCounters _counters;

    internal PerfSoftwareCounters(PerfEventCounters counters) => _counters = counters;

    /// <inheritdoc cref="PerfSoftwareCounterId.CpuClock"/>
    public PerfEventCounter? CpuClock => _counters[PerfSoftwareCounterId.CpuClock];

    /// <inheritdoc cref="PerfSoftwareCounterId.TaskClock"/>
    public PerfEventCounter? TaskClock => _counters[PerfSoftwareCounterId.TaskClock];

    /// <inheritdoc cref="PerfSoftwareCounterId.PageFaults"/>
    public PerfEventCounter? PageFaults => _counters[PerfSoftwareCounterId.PageFaults];

    /// <inheritdoc cref="PerfSoftwareCounterId.ContextSwitches"/>
    public PerfEventCounter? ContextSwitches => _counters[PerfSoftwareCounterId.ContextSwitches];

    /// <inheritdoc cref="PerfSoftwareCounterId.CpuMigrations"/>
    public PerfEventCounter? CpuMigrations => _counters[PerfSoftwareCounterId.CpuMigrations];

    /// <inheritdoc cref="PerfSoftwareCounterId.MinorPageFaults"/>
    public PerfEventCounter? MinorPageFaults => _counters[PerfSoftwareCounterId.MinorPageFaults];

    /// <inheritdoc cref="PerfSoftwareCounterId.MajorPageFaults"/>
    public PerfEventCounter? MajorPageFaults => _counters[PerfSoftwareCounterId.MajorPageFaults];

    /// <inheritdoc cref="PerfSoftwareCounterId.AlignmentFaults"/>
    public PerfEventCounter? AlignmentFaults => _counters[PerfSoftwareCounterId.AlignmentFaults];

    /// <inheritdoc cref="PerfSoftwareCounterId.EmulationFaults"/>
    public PerfEventCounter? EmulationFaults => _counters[PerfSoftwareCounterId.EmulationFaults];

    /// <inheritdoc cref="PerfSoftwareCounterId.Dummy"/>
    public PerfEventCounter? Dummy => _counters[PerfSoftwareCounterId.Dummy];

    /// <inheritdoc cref="PerfSoftwareCounterId.BpfOutput"/>
    public PerfEventCounter? BpfOutput => _counters[PerfSoftwareCounterId.BpfOutput];

    /// <inheritdoc cref="PerfSoftwareCounterId.CgroupSwitches"/>
    public PerfEventCounter? CgroupSwitches => _counters[PerfSoftwareCounterId.CgroupSwitches];
}

/// <summary>The counters of the level-1 and last-level caches of a session by name: <c>session.Counters.Caches.L1DReadMiss!.Histogram</c>.
/// A counter that is not in the session is <see langword="null"/>.</summary>
public sealed class PerfCacheCounters
{
    private readonly PerfEventCounters _counters;

    internal PerfCacheCounters(PerfEventCounters counters) => _counters = counters;

    /// <inheritdoc cref="PerfCacheCounterId.L1DReadAccess"/>
    public PerfEventCounter? L1DReadAccess => _counters[PerfCacheCounterId.L1DReadAccess];

    /// <inheritdoc cref="PerfCacheCounterId.L1DReadMiss"/>
    public PerfEventCounter? L1DReadMiss => _counters[PerfCacheCounterId.L1DReadMiss];

    /// <inheritdoc cref="PerfCacheCounterId.L1DWriteAccess"/>
    public PerfEventCounter? L1DWriteAccess => _counters[PerfCacheCounterId.L1DWriteAccess];

    /// <inheritdoc cref="PerfCacheCounterId.L1DWriteMiss"/>
    public PerfEventCounter? L1DWriteMiss => _counters[PerfCacheCounterId.L1DWriteMiss];

    /// <inheritdoc cref="PerfCacheCounterId.L1IReadAccess"/>
    public PerfEventCounter? L1IReadAccess => _counters[PerfCacheCounterId.L1IReadAccess];

    /// <inheritdoc cref="PerfCacheCounterId.L1IReadMiss"/>
    public PerfEventCounter? L1IReadMiss => _counters[PerfCacheCounterId.L1IReadMiss];

    /// <inheritdoc cref="PerfCacheCounterId.L1IWriteAccess"/>
    public PerfEventCounter? L1IWriteAccess => _counters[PerfCacheCounterId.L1IWriteAccess];

    /// <inheritdoc cref="PerfCacheCounterId.L1IWriteMiss"/>
    public PerfEventCounter? L1IWriteMiss => _counters[PerfCacheCounterId.L1IWriteMiss];

    /// <inheritdoc cref="PerfCacheCounterId.LLReadAccess"/>
    public PerfEventCounter? LLReadAccess => _counters[PerfCacheCounterId.LLReadAccess];

    /// <inheritdoc cref="PerfCacheCounterId.LLReadMiss"/>
    public PerfEventCounter? LLReadMiss => _counters[PerfCacheCounterId.LLReadMiss];

    /// <inheritdoc cref="PerfCacheCounterId.LLWriteAccess"/>
    public PerfEventCounter? LLWriteAccess => _counters[PerfCacheCounterId.LLWriteAccess];

    /// <inheritdoc cref="PerfCacheCounterId.LLWriteMiss"/>
    public PerfEventCounter? LLWriteMiss => _counters[PerfCacheCounterId.LLWriteMiss];
}
