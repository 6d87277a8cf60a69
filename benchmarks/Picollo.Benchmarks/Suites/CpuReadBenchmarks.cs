using BenchmarkDotNet.Attributes;
using Picollo.Cpu;

namespace Picollo.Benchmarks.Suites;

/// <summary>The table in the document of Universe.CpuUsage: readings of CPU time compared with well-known clocks.</summary>
[MemoryDiagnoser]
[RankColumn]
public class CpuReadBenchmarks
{
    [Benchmark(Description = "DateTime.Now")]
    public DateTime Now() => DateTime.Now;

    /// <summary>Creates and starts a new stopwatch, as the legend of the document says. The document's figures include two timestamps, and a stopwatch that
    /// is not started would be optimized away.</summary>
    [Benchmark(Description = "Stopwatch")]
    public long NewStopwatch() => Stopwatch.StartNew().ElapsedTicks;

    [Benchmark(Description = "Process CPU Usage")]
    public CpuUsage ProcessUsage() => CpuUsageReader.GetByProcess();

    [Benchmark(Description = "Thread CPU Usage")]
    public CpuUsage ThreadUsage() => CpuUsageReader.GetByThread();

    /// <summary>Reads only the total of the thread. This row is not in the document.</summary>
    [Benchmark(Description = "Thread CPU time, total")]
    public long ThreadTime() => CpuUsageReader.GetThreadTimeNanoseconds();
}
