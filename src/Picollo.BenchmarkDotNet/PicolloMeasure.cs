using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>What to measure of benchmarks, for
/// <see cref="PicolloConfigExtensions.AddPicollo(global::BenchmarkDotNet.Configs.ManualConfig, PicolloMeasure[])"/>: a counter, to which
/// any of Picollo's ids converts and which <see cref="Named"/> and <see cref="Raw"/> create, <see cref="CpuUsage"/> or
/// <see cref="HdrPercentiles"/>. Immutable.</summary>
public sealed class PicolloMeasure
{
    private PicolloMeasure(BenchmarkCounter? counter = null, IReadOnlyList<double>? ranks = null) => (Counter, Ranks) = (counter, ranks);

    /// <summary>CPU time and context switches, as <see cref="CpuUsageDiagnoserAttribute"/> shows them.</summary>
    public static PicolloMeasure CpuUsage { get; } = new();

    /// <summary>The same, and user and kernel time apart.</summary>
    public static PicolloMeasure CpuUsageByMode { get; } = new();

    /// <summary>The percentiles 50, 90, 99 and 99.9 of single invocations, as <see cref="HdrPercentilesAttribute"/> shows them.</summary>
    public static PicolloMeasure HdrPercentiles { get; } = HdrPercentilesAt();

    internal BenchmarkCounter? Counter { get; }

    /// <summary>The percentiles of single invocations; null of other measures.</summary>
    internal IReadOnlyList<double>? Ranks { get; }

    /// <summary>Percentiles of single invocations.</summary>
    /// <param name="ranks">Which, in percent: above 0 and below 100. None are 50, 90, 99 and 99.9.</param>
    /// <returns>The measure.</returns>
    public static PicolloMeasure HdrPercentilesAt(params double[] ranks) => new(ranks: ranks is [_, ..] ? [.. ranks] : [50, 90, 99, 99.9]);

    /// <summary>Any event by the kernel's numbers (perf_event_open(2)).</summary>
    /// <param name="type">perf_event_attr.type: 4 for the CPU's own event codes.</param>
    /// <param name="config">perf_event_attr.config: the event's code.</param>
    /// <param name="name">What to call it in the column's header.</param>
    /// <returns>The counter.</returns>
    public static PicolloMeasure Raw(uint type, ulong config, string name) => new(new(name ?? "", Type: type, Config: config));

    /// <summary>An event by name: of a PMU, such as <c>cpu/event=0x2e,umask=0x41/</c>, or a tracepoint, such as
    /// <c>sched:sched_switch</c>.</summary>
    /// <param name="name">As in <see cref="PerfCountersAttribute(string[])"/>. A name that is no event is reported before the
    /// run.</param>
    /// <returns>The counter.</returns>
    public static PicolloMeasure Named(string name) => new(new(name ?? ""));

    /// <summary>A hardware event.</summary>
    /// <param name="id">One of the presets.</param>
    public static implicit operator PicolloMeasure(PerfHardwareCounterId id) => new(new($"{id}", Hardware: id));

    /// <summary>An event of the caches.</summary>
    /// <param name="id">One of the presets.</param>
    public static implicit operator PicolloMeasure(PerfCacheCounterId id) => new(new($"{id}", Cache: id));

    /// <summary>An event that the kernel counts.</summary>
    /// <param name="id">One of the presets.</param>
    public static implicit operator PicolloMeasure(PerfSoftwareCounterId id) => new(new($"{id}", Software: id));
}
