using Picollo.Profiling.Sampling;

namespace Picollo.Profiling;

/// <summary>The options of a <see cref="CpuProfiler"/>, which copies them when it starts. Not thread-safe.</summary>
public sealed class CpuProfilerOptions
{
    /// <summary>The maximum <see cref="Frequency"/>.</summary>
    public const int MaxFrequency = 10_000;

    /// <summary>The number of samples per second of CPU time, 1 to <see cref="MaxFrequency"/>. The default of 99 costs about 0.4 % of the
    /// CPU time of work that does not wait; 999 costs 2 to 5 %. Without permission to sample CPUs (root, <c>CAP_PERFMON</c>), each wake-up
    /// of a waiting thread costs about 2 µs, on a virtual machine. Periodic work with the period of the samples can be missed; 99 and 999
    /// are not multiples of common timer rates.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside that range.</exception>
    public int Frequency
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(Frequency));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MaxFrequency, nameof(Frequency));
            field = value;
        }
    } = 99;

    /// <summary>The process ID. The process must belong to the same user, unless this user is root. <see langword="null"/>, the
    /// default, selects this process.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is less than 1.</exception>
    public int? ProcessId
    {
        get;
        set
        {
            if (value is { } id)
            {
                ArgumentOutOfRangeException.ThrowIfLessThan(id, 1, nameof(ProcessId));
            }

            field = value;
        }
    }

    /// <summary>Whether kernel code is also sampled. Requires <c>kernel.perf_event_paranoid</c> 1 or less, or CAP_PERFMON. The default is
    /// <see langword="false"/>: then only <see cref="CpuProfile.CpuUsage"/> contains the CPU time in the kernel.</summary>
    public bool IncludeKernel { get; set; }

    /// <summary>Whether the name of a method ends with its compilation tier, such as <c>[Tier0]</c>, so that each tier is a separate
    /// function. The default is <see langword="false"/>.</summary>
    public bool ShowTiers { get; set; }

    internal CpuProfilerOptions Copy() => (CpuProfilerOptions)MemberwiseClone();
}

/// <summary>The settings of a profiler, including those that only the tool uses.</summary>
internal sealed record ProfilerSettings(int ProcessId, CpuProfilerOptions Options)
{
    /// <summary>The folder for the perf maps of the process and its children; null for a process that already runs. If it is set, the
    /// process is a command that is held until it executes its program, when sampling starts.</summary>
    public string? PerfMapFolder { get; init; }

    /// <summary>The command line as the user typed it; null for the name of the process.</summary>
    public string? Command { get; init; }

    /// <summary>Receives flows of this process that used a lot of CPU time, while the profiler runs; null for a profile.</summary>
    public KeptFlows? Kept { get; init; }

    public bool IsCommand => PerfMapFolder is not null;
}
