namespace Picollo.Scheduling;

/// <summary>The usage of a <see cref="CpuWorkerPool"/> by one task. Immutable; equal if all values are.</summary>
public readonly record struct CpuTaskUsage
{
    internal CpuTaskUsage(TimeSpan cpuTime, int sliceCount, TimeSpan waitTime)
    {
        CpuTime = cpuTime;
        SliceCount = sliceCount;
        WaitTime = waitTime;
    }

    /// <summary>CPU time on the workers, by their threads' clocks.</summary>
    public TimeSpan CpuTime { get; }

    /// <summary>Number of slices on a worker.</summary>
    public int SliceCount { get; }

    /// <summary>Time of waiting for a worker, before the first slice and between slices. What the body itself awaited is not
    /// included.</summary>
    public TimeSpan WaitTime { get; }
}
