using Picollo.BenchmarkDotNet.Measures;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>A measure for <see cref="PicolloConfigExtensions.AddPicollo(global::BenchmarkDotNet.Configs.ManualConfig, PicolloMeasure[])"/>:
/// a counter, <see cref="CpuUsage"/> or <see cref="HdrPercentiles"/>. The counter IDs of Picollo convert to counters implicitly;
/// <see cref="CreateNamedCounter"/> and <see cref="CreateRawCounter"/> create others. Immutable.</summary>
public sealed class PicolloMeasure
{
    private PicolloMeasure(BenchmarkCounter? counter = null, IReadOnlyList<double>? ranks = null) => (Counter, Ranks) = (counter, ranks);

    /// <summary>CPU time and context switches, as <see cref="CpuUsageDiagnoserAttribute"/> shows them.</summary>
    public static PicolloMeasure CpuUsage { get; } = new();

    /// <summary>CPU time and context switches, with additional columns for user and kernel time.</summary>
    public static PicolloMeasure CpuUsageWithUserAndKernel { get; } = new();

    /// <summary>The percentiles 50, 90, 99 and 99.9 of single calls, as <see cref="HdrPercentilesAttribute"/> shows them.</summary>
    public static PicolloMeasure HdrPercentiles { get; } = CreateHdrPercentiles();

    internal BenchmarkCounter? Counter { get; }

    internal bool IsCpuUsage => this == CpuUsage || this == CpuUsageWithUserAndKernel;

    /// <summary>The percentiles of single calls; null for other measures.</summary>
    internal IReadOnlyList<double>? Ranks { get; }

    /// <summary>Creates a measure for percentiles of single calls.</summary>
    /// <param name="ranks">The percentiles, in percent, above 0 and below 100. If empty, the percentiles are 50, 90, 99 and 99.9.</param>
    /// <returns>The measure.</returns>
    public static PicolloMeasure CreateHdrPercentiles(params double[] ranks) =>
        new(ranks: ranks is [_, ..] ? [.. ranks] : [50, 90, 99, 99.9]);

    /// <summary>Creates a counter for a raw event (perf_event_open(2)).</summary>
    /// <param name="type">The perf_event_attr.type; 4 for the event codes of the CPU.</param>
    /// <param name="config">The perf_event_attr.config: the event code.</param>
    /// <param name="name">The name of the counter in the column header.</param>
    /// <returns>The counter.</returns>
    public static PicolloMeasure CreateRawCounter(uint type, ulong config, string name) => new(new(name ?? "", Type: type, Config: config));

    /// <summary>Creates a counter for a named event: a PMU event, such as <c>cpu/event=0x2e,umask=0x41/</c>, or a tracepoint, such as
    /// <c>sched:sched_switch</c>.</summary>
    /// <param name="name">The name, as in <see cref="PerfCountersAttribute(string[])"/>. An unknown name is reported before the
    /// run.</param>
    /// <returns>The counter.</returns>
    public static PicolloMeasure CreateNamedCounter(string name) => new(new(name ?? ""));

    /// <summary>Converts a preset to a counter for a hardware event.</summary>
    /// <param name="id">The preset.</param>
    public static implicit operator PicolloMeasure(PerfHardwareCounterId id) => new(new($"{id}", Hardware: id));

    /// <summary>Converts a preset to a counter for a cache event.</summary>
    /// <param name="id">The preset.</param>
    public static implicit operator PicolloMeasure(PerfCacheCounterId id) => new(new($"{id}", Cache: id));

    /// <summary>Converts a preset to a counter for a software event.</summary>
    /// <param name="id">The preset.</param>
    public static implicit operator PicolloMeasure(PerfSoftwareCounterId id) => new(new($"{id}", Software: id));
}
