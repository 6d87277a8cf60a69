using BenchmarkDotNet.Attributes;
using Picollo.BenchmarkDotNet;
using Picollo.PerfEvent;

namespace Picollo.Samples.Benchmarks;

/// <summary>Counts letters on one thread, on several threads with a lock around shared counts, and on several threads with separate counts.</summary>
/// <remarks><c>CPU/Wall</c> is 1 on one thread, and near the number of processors with separate counts. With the lock, it can be just as high, and
/// <c>CPU/Op</c> shows the reason: the threads spin. If spinning does not help, they sleep, which <c>VoluntarySwitches/Op</c> counts. (A thread
/// that yields while it spins counts as an involuntary switch.) <c>TaskClock/Op</c> includes all threads because of <c>CountAllThreads</c>; otherwise,
/// it would include only the calling thread.</remarks>
[CpuUsageDiagnoser]
[PerfCounters(PerfSoftwareCounterId.TaskClock, PerfSoftwareCounterId.ContextSwitches, CountAllThreads = true)]
public class LockContention
{
    private const string Line = "Performance Instrumentation and Continuous Observation for Low-Level Optimization";
    private const int Lines = 20_000;

    private readonly Lock _lock = new();

    [Benchmark(Baseline = true)]
    public int[] OneThread()
    {
        int[] counts = NewCounts();
        for (int line = 0; line < Lines; line++)
        {
            Count(counts);
        }

        return counts;
    }

    [Benchmark]
    public int[] OneLock()
    {
        int[] counts = NewCounts();
        Parallel.For(0, Lines, _ =>
        {
            lock (_lock)
            {
                Count(counts);
            }
        });
        return counts;
    }

    [Benchmark]
    public int[] OwnCounts()
    {
        int[] counts = NewCounts();
        Parallel.For(0, Lines, NewCounts, (_, _, own) => Count(own), own =>
        {
            lock (_lock)
            {
                for (int letter = 0; letter < counts.Length; letter++)
                {
                    counts[letter] += own[letter];
                }
            }
        });
        return counts;
    }

    private static int[] NewCounts() => new int[128];

    private static int[] Count(int[] counts)
    {
        foreach (char letter in Line)
        {
            counts[letter]++;
        }

        return counts;
    }
}
