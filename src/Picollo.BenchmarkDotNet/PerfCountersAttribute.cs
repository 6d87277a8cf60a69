using BenchmarkDotNet.Configs;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>Counts events of the CPU and of the kernel in the benchmark's process, and shows each per operation: <c>Instructions/Op</c>,
/// <c>BranchMisses/Op</c>, and <c>IPC</c> where instructions and cycles are both counted. Linux.</summary>
/// <remarks>
/// <para><b>What counts.</b> The benchmark's own thread, or all threads of the process where the benchmark returns something to be
/// awaited; only while the actual iterations of the workload run, less what iterations without it count (the median of
/// BenchmarkDotNet's overhead iterations, where it has any). User code, unless <see cref="IncludeKernel"/>; software events that happen
/// in the kernel, such as context switches, in any case.</para>
/// <para><b>What cannot be counted</b> is left out, and one line before the run says which counters those are and why: no PMU in a virtual
/// machine, <c>kernel.perf_event_paranoid</c>, not Linux. More counters than the CPU has take turns: their counts are scaled, and
/// the column's header says so.</para>
/// <para>Of several launches of a benchmark the last is measured. Counting starts and stops outside of what BenchmarkDotNet times.</para>
/// <example>
/// <code>
/// [PerfCounters(PerfHardwareCounterId.Instructions, PerfHardwareCounterId.BranchMisses)]
/// [PerfCounters(PerfSoftwareCounterId.PageFaults)]
/// [PerfCounters("cpu/event=0x2e,umask=0x41/")]
/// public class Sorting
/// </code>
/// </example>
/// </remarks>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Assembly, AllowMultiple = true)]
public sealed class PerfCountersAttribute : Attribute, IConfigSource
{
    private readonly IReadOnlyList<PicolloMeasure> _counters;

    /// <summary>Names no counter: a message before the run says so.</summary>
    public PerfCountersAttribute() => _counters = [];

    /// <summary>Counts hardware events.</summary>
    /// <param name="counters">One or more of the presets.</param>
    public PerfCountersAttribute(params PerfHardwareCounterId[]? counters) =>
        _counters = [.. (counters ?? []).Select(id => (PicolloMeasure)id)];

    /// <summary>Counts events of the caches.</summary>
    /// <param name="counters">One or more of the presets.</param>
    public PerfCountersAttribute(params PerfCacheCounterId[]? counters) =>
        _counters = [.. (counters ?? []).Select(id => (PicolloMeasure)id)];

    /// <summary>Counts events that the kernel counts; they need no PMU.</summary>
    /// <param name="counters">One or more of the presets.</param>
    public PerfCountersAttribute(params PerfSoftwareCounterId[]? counters) =>
        _counters = [.. (counters ?? []).Select(id => (PicolloMeasure)id)];

    /// <summary>Counts events by name.</summary>
    /// <param name="counters">A PMU's events as <c>perf</c> takes them, such as <c>cpu/event=0x2e,umask=0x41/</c>
    /// (<see cref="PerfEventCounterSessionFactory.WithNamedCounter"/>), or tracepoints, such as <c>sched:sched_switch</c>
    /// (<see cref="PerfEventCounterSessionFactory.WithTracepoint"/>).</param>
    public PerfCountersAttribute(params string[]? counters) => _counters = [.. (counters ?? []).Select(PicolloMeasure.Named)];

    /// <summary>Counts any event by the kernel's numbers (perf_event_open(2)).</summary>
    /// <param name="type">perf_event_attr.type: 4 for the CPU's own event codes.</param>
    /// <param name="config">perf_event_attr.config: the event's code.</param>
    /// <param name="name">What to call it in the column's header.</param>
    public PerfCountersAttribute(uint type, ulong config, string name) => _counters = [PicolloMeasure.Raw(type, config, name)];

    /// <summary>Whether what the kernel does for the benchmark counts too. False by default; true needs kernel.perf_event_paranoid 1 or
    /// CAP_PERFMON. For all counters of a class if one of its attributes says so.</summary>
    public bool IncludeKernel { get; set; }

    /// <summary>Whether all threads of the process count, and not the benchmark's own alone: for workloads that run on several, such as
    /// <c>Parallel.For</c>. False by default, true in any case where the benchmark returns something to be awaited. The garbage collector's
    /// and the JIT's threads are in it, and processes that the benchmark starts. For all counters of a class if one of its attributes says
    /// so.</summary>
    public bool AllThreads { get; set; }

    /// <summary>What the attribute adds to the configuration of its class: a diagnoser, and the engine that measures for it.</summary>
    public IConfig Config =>
        ManualConfig.CreateEmpty().AddMeasures(new(_counters, IncludeKernel, AllThreads, IsOfCounters: true));
}
