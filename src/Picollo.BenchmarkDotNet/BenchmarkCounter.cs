using Picollo.BenchmarkDotNet.Reports;
using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>A counter, in a form that goes to the benchmark's process: a preset, an event by the kernel's numbers, or else an event by its
/// name.</summary>
/// <param name="Name">The name in the table.</param>
/// <param name="Hardware">The preset, of a hardware event.</param>
/// <param name="Cache">The preset, of a cache event.</param>
/// <param name="Software">The preset, of an event that the kernel counts.</param>
/// <param name="Type">perf_event_attr.type, of an event by numbers.</param>
/// <param name="Config">perf_event_attr.config, of an event by numbers.</param>
internal sealed record BenchmarkCounter(
    string Name,
    PerfHardwareCounterId? Hardware = null,
    PerfCacheCounterId? Cache = null,
    PerfSoftwareCounterId? Software = null,
    uint? Type = null,
    ulong Config = 0)
{
    /// <summary>The counter's name in a session.</summary>
    public string SessionName => this switch
    {
        { Hardware: not null } => $"Hardware:{Name}",
        { Cache: not null } => $"HardwareCache:{Name}",
        { Software: not null } => $"Software:{Name}",
        _ => Name,
    };

    /// <summary>Whether it takes one of the PMU's counters.</summary>
    public bool NeedsPmu => Hardware is not null || Cache is not null || Type is not null || IsPmuEvent;

    /// <summary>Whether it counts nanoseconds.</summary>
    public bool IsTime => Software is PerfSoftwareCounterId.TaskClock or PerfSoftwareCounterId.CpuClock;

    // The other events by name are tracepoints.
    private bool IsPmuEvent => Name.Contains('/', StringComparison.Ordinal);

    /// <summary>The counters among measures that a session can have together, in order, each once.</summary>
    /// <param name="measures">Counters and others.</param>
    /// <param name="problems">What is wrong with the counters that are left out or repeated: a sentence each.</param>
    public static IReadOnlyList<BenchmarkCounter> Choose(
        IReadOnlyCollection<PicolloMeasure> measures, out IReadOnlyList<string> problems)
    {
        IReadOnlyList<string> taken = measures.Contains(PicolloMeasure.CpuUsage) || measures.Contains(PicolloMeasure.CpuUsageByMode)
            ? MeasureMetrics.NamesOfCpu : [];
        List<BenchmarkCounter> counters = [];
        List<string> found = [];
        PerfEventCounterSessionFactory factory = PerfEventCounterSession.Factory;
        foreach ((string name, BenchmarkCounter[] same) in measures
            .Select(measure => measure?.Counter)
            .OfType<BenchmarkCounter>()
            .GroupBy(counter => counter.Name, (name, same) => (name, same.ToArray())))
        {
            if (taken.Contains(name))
            {
                found.Add($"The counter \"{name}\" is left out: a column of CPU usage has that name.");
                continue;
            }

            try
            {
                factory = same[0].AddTo(factory);
                counters.Add(same[0]);
                if (same.Length > 1)
                {
                    found.Add($"The counter {name} is named {same.Length} times and counted once.");
                }
            }
            catch (ArgumentException e)
            {
                // Without the parameter's name and the value, which the framework adds: they are of our calls.
                found.Add($"The counter \"{name}\" is left out: {e.Message.Split(" (Parameter '")[0]}");
            }
        }

        problems = found;
        return counters;
    }

    /// <summary>Adds it to a session's counters.</summary>
    /// <exception cref="ArgumentException">The name or the number is invalid, or there already.</exception>
    public PerfEventCounterSessionFactory AddTo(PerfEventCounterSessionFactory factory) => this switch
    {
        { Hardware: { } id } => factory.WithHardwareCounter(id),
        { Cache: { } id } => factory.WithCacheCounter(id),
        { Software: { } id } => factory.WithSoftwareCounter(id),
        { Type: { } type } => factory.WithRawCounter(type, Config, Name),
        { IsPmuEvent: true } => factory.WithNamedCounter(Name),
        _ => factory.WithTracepoint(Name),
    };
}
