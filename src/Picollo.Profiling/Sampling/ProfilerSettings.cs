namespace Picollo.Profiling.Sampling;

/// <summary>The settings of a profiler, including those that only the tool uses.</summary>
/// <param name="ProcessId">The process ID.</param>
/// <param name="Options">The options of the caller.</param>
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
