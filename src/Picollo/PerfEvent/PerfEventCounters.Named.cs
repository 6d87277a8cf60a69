namespace Picollo.PerfEvent;

/// <content>Counters by name.</content>
public sealed partial class PerfEventCounters
{
    /// <inheritdoc cref="PerfHardwareCounterId.CpuCycles"/>
    public PerfEventCounter? CpuCycles => this[PerfHardwareCounterId.CpuCycles];

    /// <inheritdoc cref="PerfHardwareCounterId.Instructions"/>
    public PerfEventCounter? Instructions => this[PerfHardwareCounterId.Instructions];

    /// <inheritdoc cref="PerfHardwareCounterId.CacheReferences"/>
    public PerfEventCounter? CacheReferences => this[PerfHardwareCounterId.CacheReferences];

    /// <inheritdoc cref="PerfHardwareCounterId.CacheMisses"/>
    public PerfEventCounter? CacheMisses => this[PerfHardwareCounterId.CacheMisses];

    /// <inheritdoc cref="PerfHardwareCounterId.BranchInstructions"/>
    public PerfEventCounter? BranchInstructions => this[PerfHardwareCounterId.BranchInstructions];

    /// <inheritdoc cref="PerfHardwareCounterId.BranchMisses"/>
    public PerfEventCounter? BranchMisses => this[PerfHardwareCounterId.BranchMisses];

    /// <inheritdoc cref="PerfHardwareCounterId.BusCycles"/>
    public PerfEventCounter? BusCycles => this[PerfHardwareCounterId.BusCycles];

    /// <inheritdoc cref="PerfHardwareCounterId.StalledCyclesFrontend"/>
    public PerfEventCounter? StalledCyclesFrontend => this[PerfHardwareCounterId.StalledCyclesFrontend];

    /// <inheritdoc cref="PerfHardwareCounterId.StalledCyclesBackend"/>
    public PerfEventCounter? StalledCyclesBackend => this[PerfHardwareCounterId.StalledCyclesBackend];

    /// <inheritdoc cref="PerfHardwareCounterId.RefCpuCycles"/>
    public PerfEventCounter? RefCpuCycles => this[PerfHardwareCounterId.RefCpuCycles];

    /// <inheritdoc cref="PerfSoftwareCounterId.CpuClock"/>
    public PerfEventCounter? CpuClock => this[PerfSoftwareCounterId.CpuClock];

    /// <inheritdoc cref="PerfSoftwareCounterId.TaskClock"/>
    public PerfEventCounter? TaskClock => this[PerfSoftwareCounterId.TaskClock];

    /// <inheritdoc cref="PerfSoftwareCounterId.PageFaults"/>
    public PerfEventCounter? PageFaults => this[PerfSoftwareCounterId.PageFaults];

    /// <inheritdoc cref="PerfSoftwareCounterId.ContextSwitches"/>
    public PerfEventCounter? ContextSwitches => this[PerfSoftwareCounterId.ContextSwitches];

    /// <inheritdoc cref="PerfSoftwareCounterId.CpuMigrations"/>
    public PerfEventCounter? CpuMigrations => this[PerfSoftwareCounterId.CpuMigrations];

    /// <inheritdoc cref="PerfSoftwareCounterId.MinorPageFaults"/>
    public PerfEventCounter? MinorPageFaults => this[PerfSoftwareCounterId.MinorPageFaults];

    /// <inheritdoc cref="PerfSoftwareCounterId.MajorPageFaults"/>
    public PerfEventCounter? MajorPageFaults => this[PerfSoftwareCounterId.MajorPageFaults];

    /// <inheritdoc cref="PerfSoftwareCounterId.AlignmentFaults"/>
    public PerfEventCounter? AlignmentFaults => this[PerfSoftwareCounterId.AlignmentFaults];

    /// <inheritdoc cref="PerfSoftwareCounterId.EmulationFaults"/>
    public PerfEventCounter? EmulationFaults => this[PerfSoftwareCounterId.EmulationFaults];

    /// <inheritdoc cref="PerfSoftwareCounterId.Dummy"/>
    public PerfEventCounter? Dummy => this[PerfSoftwareCounterId.Dummy];

    /// <inheritdoc cref="PerfSoftwareCounterId.BpfOutput"/>
    public PerfEventCounter? BpfOutput => this[PerfSoftwareCounterId.BpfOutput];

    /// <inheritdoc cref="PerfSoftwareCounterId.CgroupSwitches"/>
    public PerfEventCounter? CgroupSwitches => this[PerfSoftwareCounterId.CgroupSwitches];

    /// <inheritdoc cref="PerfCacheCounterId.L1DReadAccess"/>
    public PerfEventCounter? L1DReadAccess => this[PerfCacheCounterId.L1DReadAccess];

    /// <inheritdoc cref="PerfCacheCounterId.L1DReadMiss"/>
    public PerfEventCounter? L1DReadMiss => this[PerfCacheCounterId.L1DReadMiss];

    /// <inheritdoc cref="PerfCacheCounterId.L1DWriteAccess"/>
    public PerfEventCounter? L1DWriteAccess => this[PerfCacheCounterId.L1DWriteAccess];

    /// <inheritdoc cref="PerfCacheCounterId.L1DWriteMiss"/>
    public PerfEventCounter? L1DWriteMiss => this[PerfCacheCounterId.L1DWriteMiss];

    /// <inheritdoc cref="PerfCacheCounterId.L1IReadAccess"/>
    public PerfEventCounter? L1IReadAccess => this[PerfCacheCounterId.L1IReadAccess];

    /// <inheritdoc cref="PerfCacheCounterId.L1IReadMiss"/>
    public PerfEventCounter? L1IReadMiss => this[PerfCacheCounterId.L1IReadMiss];

    /// <inheritdoc cref="PerfCacheCounterId.L1IWriteAccess"/>
    public PerfEventCounter? L1IWriteAccess => this[PerfCacheCounterId.L1IWriteAccess];

    /// <inheritdoc cref="PerfCacheCounterId.L1IWriteMiss"/>
    public PerfEventCounter? L1IWriteMiss => this[PerfCacheCounterId.L1IWriteMiss];

    /// <inheritdoc cref="PerfCacheCounterId.LLReadAccess"/>
    public PerfEventCounter? LLReadAccess => this[PerfCacheCounterId.LLReadAccess];

    /// <inheritdoc cref="PerfCacheCounterId.LLReadMiss"/>
    public PerfEventCounter? LLReadMiss => this[PerfCacheCounterId.LLReadMiss];

    /// <inheritdoc cref="PerfCacheCounterId.LLWriteAccess"/>
    public PerfEventCounter? LLWriteAccess => this[PerfCacheCounterId.LLWriteAccess];

    /// <inheritdoc cref="PerfCacheCounterId.LLWriteMiss"/>
    public PerfEventCounter? LLWriteMiss => this[PerfCacheCounterId.LLWriteMiss];
}
