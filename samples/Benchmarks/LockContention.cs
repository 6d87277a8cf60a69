using BenchmarkDotNet.Attributes;
using Picollo.BenchmarkDotNet;
using Picollo.PerfEvent;

namespace Picollo.Samples.Benchmarks;

/// <summary>Counting letters: on one thread, on several with one lock around the counts, and on several with counts of their own.</summary>
/// <remarks><c>CPU/Wall</c> is 1 on one thread, and nearer to the number of processors the less is shared. With the lock the operation takes many
/// times the CPU time of the one thread, User/Op, and longer on top: the threads spin, and where that does not help wait, which
/// <c>VoluntarySwitches/Op</c> counts. TaskClock/Op has all threads in it because of <c>AllThreads</c>; without, it is the calling one's
/// alone.</remarks>
[CpuUsageDiagnoser]
[PerfCounters(PerfSoftwareCounterId.TaskClock, PerfSoftwareCounterId.ContextSwitches, AllThreads = true)]
public class LockContention
{
    private const int Pages = 64;

    private readonly string _page = string.Concat(Enumerable.Repeat("performance instrumentation ", 100));
    private readonly Lock _lock = new();

    [Benchmark(Baseline = true)]
    public int[] OneThread()
    {
        int[] counts = NewCounts();
        for (int page = 0; page < Pages; page++)
        {
            foreach (char letter in _page)
            {
                counts[letter]++;
            }
        }

        return counts;
    }

    [Benchmark]
    public int[] OneLock()
    {
        int[] counts = NewCounts();
        Parallel.For(0, Pages, _ =>
        {
            foreach (char letter in _page)
            {
                lock (_lock)
                {
                    counts[letter]++;
                }
            }
        });
        return counts;
    }

    [Benchmark]
    public int[] OwnCounts()
    {
        int[] counts = NewCounts();
        Parallel.For(0, Pages, NewCounts, (_, _, own) =>
        {
            foreach (char letter in _page)
            {
                own[letter]++;
            }

            return own;
        }, own =>
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
}
