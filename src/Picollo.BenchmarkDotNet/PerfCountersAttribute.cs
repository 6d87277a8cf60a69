using BenchmarkDotNet.Configs;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>Counts hardware and software events in the benchmark process, and adds a column per operation for each: <c>Instructions/Op</c>,
/// <c>BranchMisses/Op</c>, and <c>IPC</c> if instructions and cycles are both counted. Linux only.</summary>
/// <remarks>
/// <para><b>Scope.</b> Counters count the thread of the benchmark, or all threads of the process if the benchmark returns an awaitable.
/// They count only during the actual workload iterations, minus the median of the overhead iterations, if BenchmarkDotNet runs any. They
/// count user code, unless <see cref="IncludeKernel"/> is set; software events that occur in the kernel, such as context switches, are
/// always counted.</para>
/// <para><b>Unavailable counters</b> are omitted, and one line before the run lists them with the reason: no PMU in a virtual machine,
/// <c>kernel.perf_event_paranoid</c>, or not Linux. If there are more counters than the CPU supports, they are multiplexed: their counts
/// are scaled, and the column headers say so.</para>
/// <para>If a benchmark has several launches, the results are the means over all launches. Counting starts and stops outside the time that
/// BenchmarkDotNet measures.</para>
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

    /// <summary>Specifies no counter. A message before the run reports this mistake.</summary>
    public PerfCountersAttribute() => _counters = [];

    /// <summary>Counts hardware events.</summary>
    /// <param name="counters">One or more presets.</param>
    public PerfCountersAttribute(params PerfHardwareCounterId[]? counters) =>
        _counters = [.. (counters ?? []).Select(id => (PicolloMeasure)id)];

    /// <summary>Counts cache events.</summary>
    /// <param name="counters">One or more presets.</param>
    public PerfCountersAttribute(params PerfCacheCounterId[]? counters) =>
        _counters = [.. (counters ?? []).Select(id => (PicolloMeasure)id)];

    /// <summary>Counts software events, which do not require a PMU.</summary>
    /// <param name="counters">One or more presets.</param>
    public PerfCountersAttribute(params PerfSoftwareCounterId[]? counters) =>
        _counters = [.. (counters ?? []).Select(id => (PicolloMeasure)id)];

    /// <summary>Counts named events.</summary>
    /// <param name="counters">PMU events in the syntax of <c>perf</c>, such as <c>cpu/event=0x2e,umask=0x41/</c>
    /// (<see cref="PerfEventCounterSessionFactory.WithNamedCounter"/>), or tracepoints, such as <c>sched:sched_switch</c>
    /// (<see cref="PerfEventCounterSessionFactory.WithTracepoint"/>).</param>
    public PerfCountersAttribute(params string[]? counters) => _counters = [.. (counters ?? []).Select(PicolloMeasure.CreateNamedCounter)];

    /// <summary>Counts a raw event (perf_event_open(2)).</summary>
    /// <param name="type">The perf_event_attr.type; 4 for the event codes of the CPU.</param>
    /// <param name="config">The perf_event_attr.config: the event code.</param>
    /// <param name="name">The name of the counter in the column header.</param>
    public PerfCountersAttribute(uint type, ulong config, string name) => _counters = [PicolloMeasure.CreateRawCounter(type, config, name)];

    /// <summary>Whether counters include kernel code. The default is <see langword="false"/>. <see langword="true"/> requires
    /// kernel.perf_event_paranoid of 1 or less, or CAP_PERFMON. If set on one attribute of a class, it applies to all counters of the
    /// class.</summary>
    public bool IncludeKernel { get; set; }

    /// <summary>Whether counters include all threads of the process instead of only the thread of the benchmark, for workloads that run on
    /// several threads, such as <c>Parallel.For</c>. The default is <see langword="false"/>. It is always <see langword="true"/> if the
    /// benchmark returns an awaitable. All threads include those of the garbage collector and the JIT compiler, and the processes that the
    /// benchmark starts. If set on one attribute of a class, it applies to all counters of the class.</summary>
    public bool CountAllThreads { get; set; }

    /// <summary>The configuration that the attribute adds to its class: a diagnoser and a measuring engine.</summary>
    public IConfig Config => ManualConfig.CreateEmpty().AddMeasures(
        new(_counters, IncludeKernel ? true : null, CountAllThreads ? true : null, RequiresCounter: true));
}
