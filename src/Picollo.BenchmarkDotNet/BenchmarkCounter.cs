using Picollo.PerfEvent;

namespace Picollo.BenchmarkDotNet;

/// <summary>A counter, in a form that goes to the benchmark's process.</summary>
/// <param name="Kind">Where its numbers or its name come from.</param>
/// <param name="Name">What it is called in the table.</param>
/// <param name="Type">Of raw ones: perf_event_attr.type.</param>
/// <param name="Config">Of raw ones: perf_event_attr.config; of presets: the id.</param>
internal sealed record BenchmarkCounter(CounterKind Kind, string Name, uint Type = 0, ulong Config = 0)
{
    /// <summary>What a session calls it.</summary>
    public string SessionName => Kind switch
    {
        CounterKind.Hardware => $"Hardware:{Name}",
        CounterKind.Cache => $"HardwareCache:{Name}",
        CounterKind.Software => $"Software:{Name}",
        _ => Name,
    };

    /// <summary>Whether it takes one of the PMU's counters.</summary>
    public bool NeedsPmu => Kind is CounterKind.Hardware or CounterKind.Cache or CounterKind.Raw
        || (Kind is CounterKind.Named && Name.Contains('/', StringComparison.Ordinal));

    /// <summary>Whether it counts nanoseconds.</summary>
    public bool IsTime => Kind is CounterKind.Software
        && (PerfSoftwareCounterId)Config is PerfSoftwareCounterId.TaskClock or PerfSoftwareCounterId.CpuClock;

    /// <summary>Adds it to a session's counters.</summary>
    /// <exception cref="ArgumentException">The name or the number is none, or there already.</exception>
    public PerfEventCounterSessionFactory AddTo(PerfEventCounterSessionFactory factory) => Kind switch
    {
        CounterKind.Hardware => factory.WithHardwareCounter((PerfHardwareCounterId)Config),
        CounterKind.Cache => factory.WithCacheCounter((PerfCacheCounterId)Config),
        CounterKind.Software => factory.WithSoftwareCounter((PerfSoftwareCounterId)Config),
        CounterKind.Named when Name.Contains('/', StringComparison.Ordinal) => factory.WithNamedCounter(Name),
        CounterKind.Named => factory.WithTracepoint(Name),
        _ => factory.WithRawCounter(Type, Config, Name),
    };
}

internal enum CounterKind
{
    Hardware = 1,
    Cache,
    Software,
    Named,
    Raw,
}
