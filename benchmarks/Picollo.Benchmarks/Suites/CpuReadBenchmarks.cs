using BenchmarkDotNet.Attributes;
using Picollo.Cpu;

namespace Picollo.Benchmarks.Suites;

/// <summary>The document's table: CPU time beside the clocks that everybody knows.</summary>
[MemoryDiagnoser]
[RankColumn]
public class CpuReadBenchmarks
{
    [Benchmark(Description = "DateTime.Now")]
    public DateTime Now() => DateTime.Now;

    /// <summary>A new one, as in the document's legend, and started: its figures have two timestamps in them, and one that
    /// was not started is optimised away.</summary>
    [Benchmark(Description = "Stopwatch")]
    public long NewStopwatch() => Stopwatch.StartNew().ElapsedTicks;

    [Benchmark(Description = "Process CPU Usage")]
    public CpuUsage ProcessUsage() => CpuUsageReader.GetByProcess();

    [Benchmark(Description = "Thread CPU Usage")]
    public CpuUsage ThreadUsage() => CpuUsageReader.GetByThread();

    /// <summary>Not in the document: the thread's total alone.</summary>
    [Benchmark(Description = "Thread CPU time, total")]
    public long ThreadTime() => CpuUsageReader.GetThreadTimeNanoseconds();
}
