using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet.Measures;

/// <summary>A serializable counter: a preset, a raw event (the type and config of perf_event_attr), or a named event.</summary>
internal sealed record BenchmarkCounter(
    string Name,
    PerfHardwareCounterId? Hardware = null,
    PerfCacheCounterId? Cache = null,
    PerfSoftwareCounterId? Software = null,
    uint? Type = null,
    ulong Config = 0)
{
    /// <summary>The names of the CPU usage columns, which a counter cannot have.</summary>
    public static IReadOnlyList<string> NamesOfCpu { get; } = ["CPU", "User", "Kernel", "VoluntarySwitches", "InvoluntarySwitches"];

    public string SessionName => this switch
    {
        { Hardware: not null } => $"Hardware:{Name}",
        { Cache: not null } => $"HardwareCache:{Name}",
        { Software: not null } => $"Software:{Name}",
        _ => Name,
    };

    public bool NeedsPmu => Hardware is not null || Cache is not null || Type is not null || IsPmuEvent;

    /// <summary>Whether the counter counts nanoseconds.</summary>
    public bool IsTime => Software is PerfSoftwareCounterId.TaskClock or PerfSoftwareCounterId.CpuClock;

    // Other named events are tracepoints.
    private bool IsPmuEvent => Name.Contains('/', StringComparison.Ordinal);

    /// <summary>Returns the distinct counters that a session can open together, in order. Each problem is one sentence.</summary>
    public static IReadOnlyList<BenchmarkCounter> Choose(
        IReadOnlyCollection<PicolloMeasure> measures, out IReadOnlyList<string> problems)
    {
        IReadOnlyList<string> taken = measures.Any(measure => measure?.IsCpuUsage == true) ? NamesOfCpu : [];
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
                found.Add($"The counter \"{name}\" is excluded: a column for CPU usage already has this name.");
                continue;
            }

            try
            {
                factory = same[0].AddTo(factory);
                counters.Add(same[0]);
                if (same.Length > 1)
                {
                    found.Add($"The counter {name} is specified {same.Length} times and counted once.");
                }
            }
            catch (ArgumentException e)
            {
                // Remove the parameter name, which the framework appends and which refers to an internal call.
                found.Add($"The counter \"{name}\" is excluded: {e.Message.Split(" (Parameter '")[0]}");
            }
        }

        problems = found;
        return counters;
    }

    /// <exception cref="ArgumentException">The counter is invalid, or the factory already contains it.</exception>
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
