using BenchmarkDotNet.Engines;
using BenchmarkDotNet.Reports;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.BenchmarkProcess;

internal static class SingleInvocations
{
    /// <summary>The maximum number of calls. More calls would not change the displayed percentiles.</summary>
    private const int MaxInvocations = 1_000_000;

    /// <summary>The number of empty calls for the median overhead. The number is odd.</summary>
    private const int OverheadInvocations = 1001;

    /// <summary>Measures calls after the engine has run, for as long as its actual iterations took. If each iteration was a single call,
    /// uses the iterations minus the median of the overhead iterations instead.</summary>
    /// <returns>The times; null if nothing ran.</returns>
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

    [MethodImpl(MethodImplOptions.AggressiveOptimization)] // as in BenchmarkDotNet; otherwise, the first times would be of slower code
    private static void Run(EngineParameters parameters, HdrHistogram histogram, long invocations, TimeSpan duration)
    {
        Action<long> workload = parameters.WorkloadActionNoUnroll;
        ulong overhead = MedianOf(parameters.OverheadActionNoUnroll);
        long left = Math.Max(1, (long)(duration.TotalSeconds * Stopwatch.Frequency));
        int timed = 0; // a separate counter: TotalCount sums all buckets, which is slow and evicts caches
        while (left > 0 && timed < MaxInvocations)
        {
            parameters.IterationSetupAction?.Invoke(); // not part of the duration, so it does not reduce the number of calls
            long begin = Stopwatch.GetTimestamp();
            long stop = begin;
            try
            {
                workload(1); // untimed: if the iterations ran unrolled, this call compiles the other loop
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

    // The upper median of an even number of iterations; 0 if there are none.
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
