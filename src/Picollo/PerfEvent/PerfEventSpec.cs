namespace Picollo.PerfEvent;

/// <summary>A counter that was asked for; <see cref="Resolve"/> finds what the kernel calls it.</summary>
internal abstract record PerfEventSpec(string Name)
{
    /// <summary>The kernel's numbers for it on this machine.</summary>
    /// <exception cref="PerfEventException">There is no such event here, or its description cannot be read.</exception>
    public abstract PerfEventDefinition Resolve(PerfEventSources sources);
}

/// <summary>An event by the kernel's numbers.</summary>
internal sealed record PerfEventNumbers(string Name, PerfEventDefinition Definition) : PerfEventSpec(Name)
{
    public override PerfEventDefinition Resolve(PerfEventSources sources) => Definition;
}

/// <summary>An event by a PMU's own words, <c>pmu/event/</c> or <c>pmu/term=value,…/</c>.</summary>
internal sealed record PerfPmuEvent(string Name, string Pmu, string Terms) : PerfEventSpec(Name)
{
    public override PerfEventDefinition Resolve(PerfEventSources sources) => sources.ResolvePmuEvent(this);
}

/// <summary>A tracepoint, <c>category:name</c>.</summary>
internal sealed record PerfTracepoint(string Name, string Category, string Event) : PerfEventSpec(Name)
{
    public override PerfEventDefinition Resolve(PerfEventSources sources) => sources.ResolveTracepoint(this);
}

/// <summary>An event in the kernel's numbers, and what is known of it.</summary>
/// <param name="Type">perf_event_attr.type.</param>
/// <param name="Config">perf_event_attr.config.</param>
/// <param name="Config1">perf_event_attr.config1.</param>
/// <param name="Config2">perf_event_attr.config2.</param>
internal readonly record struct PerfEventDefinition(uint Type, ulong Config, ulong Config1 = 0, ulong Config2 = 0)
{
    /// <summary>Whether it is the CPU's PMU that counts.</summary>
    public bool NeedsPmu => Type is not (PerfEventType.Software or PerfEventType.Tracepoint);

    /// <summary>Whether its type was given by the kernel when it found the PMU (from PERF_TYPE_MAX, 6, on), and stands in sysfs.</summary>
    public bool IsOfListedPmu => Type >= 6;

    /// <summary>
    /// The kernel's two clocks are read in a group of their own. Behind another leader they stood still in most sessions (27 of 40
    /// with page faults before the task clock, none with the task clock first or alone; Linux 6.18, 2026-11-21).
    /// </summary>
    public bool IsClock => Type == PerfEventType.Software
        && (PerfSoftwareCounterId)Config is (PerfSoftwareCounterId.CpuClock or PerfSoftwareCounterId.TaskClock);

    /// <summary>Events that happen in the kernel only: without it they would count nothing, so <c>WithKernel(false)</c> does not apply
    /// to them.</summary>
    public bool HappensInKernel => Type == PerfEventType.Tracepoint
        || (Type == PerfEventType.Software && (PerfSoftwareCounterId)Config is (PerfSoftwareCounterId.ContextSwitches
            or PerfSoftwareCounterId.CpuMigrations or PerfSoftwareCounterId.CgroupSwitches or PerfSoftwareCounterId.BpfOutput));
}
