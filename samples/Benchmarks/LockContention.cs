using BenchmarkDotNet.Attributes;
using Picollo.BenchmarkDotNet;
using Picollo.PerfEvent;

namespace Picollo.Samples.Benchmarks;

/// <summary>Counting letters: on one thread, on several with one lock around the counts, and on several with counts of their own.</summary>
/// <remarks><c>CPU/Wall</c> is 1 on one thread, and with counts of their own near the number of processors. With the lock it may be as high, and
/// CPU/Op tells what for: the threads spin, and where that does not help they sleep, which <c>VoluntarySwitches/Op</c> counts
/// (one that yields while it spins counts as involuntary). TaskClock/Op has all threads in it because of <c>AllThreads</c>; without, it is
/// the calling one's alone.</remarks>
[CpuUsageDiagnoser]
[PerfCounters(PerfSoftwareCounterId.TaskClock, PerfSoftwareCounterId.ContextSwitches, AllThreads = true)]
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
