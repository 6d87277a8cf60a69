using System.Diagnostics;
using System.Runtime.CompilerServices;
using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Measuring;

/// <summary>The times of single invocations of a workload.</summary>
internal static class SingleInvocations
{
    /// <summary>More change no percentile that is shown.</summary>
    private const int MaxInvocations = 1_000_000;

    /// <summary>Of the empty call, whose median is taken off; an odd number.</summary>
    private const int OverheadInvocations = 1001;

    /// <summary>Measures after the engine has run: as long as its actual iterations took; or takes those, less the median of the overhead
    /// iterations, where each was one invocation.</summary>
    /// <returns>Null if nothing ran.</returns>
    public static InvocationTimes? Measure(EngineParameters parameters, RunResults results)
    {
        IReadOnlyList<Measurement> iterations = results.Workload;
        if (iterations is [])
        {
            return null;
        }

        HdrHistogram histogram = HdrHistogram.Factory.WithSignificantDigits(3).Create();
        TimeSpan duration = TimeSpan.FromMicroseconds(iterations.Sum(iteration => iteration.Nanoseconds) / 1000);
        DateTime now = DateTime.UtcNow;
        long invocations = iterations[^1].Operations / parameters.OperationsPerInvoke;
        if (invocations > 1)
        {
            Run(parameters, histogram, invocations, duration);
            return new(HdrHistogramEncoding.EncodeCompressed(histogram), parameters.OperationsPerInvoke, now, DateTime.UtcNow);
        }

        double overhead = MedianOf(results.Overhead ?? []);
        foreach (Measurement iteration in iterations)
        {
            histogram.Record((ulong)Math.Round(Math.Max(0, iteration.Nanoseconds - overhead)));
        }

        return new(HdrHistogramEncoding.EncodeCompressed(histogram), parameters.OperationsPerInvoke, now - duration, now);
    }

    /// <summary>Runs iterations, invocation by invocation.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // like BenchmarkDotNet's loops; else the first times are of slower code
    private static void Run(EngineParameters parameters, HdrHistogram histogram, long invocations, TimeSpan duration)
    {
        Action<long> workload = parameters.WorkloadActionNoUnroll;
        ulong overhead = MedianOf(parameters.OverheadActionNoUnroll);
        long left = Math.Max(1, (long)(duration.TotalSeconds * Stopwatch.Frequency));
        int timed = 0; // not the histogram's count, which it sums up: that takes longer than many a workload, and the caches with it
        while (left > 0 && timed < MaxInvocations)
        {
            parameters.IterationSetupAction?.Invoke(); // no part of the duration: as many invocations are timed, however long it takes
            long begin = Stopwatch.GetTimestamp();
            long stop = begin;
            try
            {
                workload(1); // untimed: where the iterations ran unrolled, this loop is compiled now
                for (long i = 1; i < invocations && stop - begin < left && timed < MaxInvocations; i++, timed++)
                {
                    long start = Stopwatch.GetTimestamp();
                    workload(1);
                    stop = Stopwatch.GetTimestamp();
                    ulong time = NanoScope.TicksToNanos(stop - start);
                    histogram.Record(time - Math.Min(time, overhead));
                }
            }
            finally
            {
                parameters.IterationCleanupAction?.Invoke();
            }

            left -= stop - begin;
        }
    }

    // Of an even number, the upper of the two in the middle; of none, 0.
    private static double MedianOf(IReadOnlyList<Measurement> iterations) =>
        iterations.Select(iteration => iteration.Nanoseconds).Order().ElementAtOrDefault(iterations.Count / 2);

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private static ulong MedianOf(Action<long> overhead)
    {
        ulong[] times = new ulong[OverheadInvocations];
        for (int i = 0; i < times.Length; i++)
        {
            long start = Stopwatch.GetTimestamp();
            overhead(1);
            times[i] = NanoScope.TicksToNanos(Stopwatch.GetTimestamp() - start);
        }

        Array.Sort(times);
        return times[times.Length / 2];
    }
}
