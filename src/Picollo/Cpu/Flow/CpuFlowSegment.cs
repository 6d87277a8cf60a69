namespace Picollo.Cpu;

/// <summary>A segment of a flow (<see cref="CpuUsageAsyncWatcher.Totals"/>): the part that one thread runs from the moment it enters the
/// flow until it leaves the flow.</summary>
/// <remarks>Immutable and thread-safe. The default value is a segment of zero length.</remarks>
[DebuggerDisplay("{ToString(),nq}")]
public readonly record struct CpuFlowSegment
{
    private const double NanosecondsPerSecond = 1e9;

    internal CpuFlowSegment(long wallTicks, CpuUsage cpuUsage) => (WallTicks, CpuUsage) = (wallTicks, cpuUsage);

    /// <summary>The wall time of the segment, rounded down to 100 ns; at least 0.</summary>
    public TimeSpan Duration => Stopwatch.GetElapsedTime(0, WallTicks);

    /// <summary>The CPU time of the segment, split into user and kernel time.</summary>
    public CpuUsage CpuUsage { get; }

    /// <summary>The fraction of the wall time in which the thread ran on a CPU, usually 0 to 1; 0 for a segment of zero length. A short
    /// segment can exceed 1 slightly, because the two clocks differ.</summary>
    public double CpuShare =>
        WallTicks == 0 ? 0 : CpuUsage.TotalNanoseconds / ((double)WallTicks / Stopwatch.Frequency * NanosecondsPerSecond);

    /// <summary>The wall time, in ticks of <see cref="Stopwatch"/>.</summary>
    internal long WallTicks { get; }

    /// <summary>Formats duration, CPU share and CPU time; culture-invariant.</summary>
    /// <returns>A string such as <c>10.123 ms, CPU 98.5 %: 9.970 ms (user 9.900 ms, kernel 0.070 ms)</c>.</returns>
    public override string ToString() => string.Create(
        CultureInfo.InvariantCulture, $"{Duration.TotalMilliseconds:0.000} ms, CPU {CpuShare * 100:0.0} %: {CpuUsage:ms}");
}
