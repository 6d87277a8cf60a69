using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Samples.Tokenizer;

/// <summary>What a scope costs by itself: the share of a measurement that is the measuring.</summary>
public static class EmptyScope
{
    private const int Repetitions = 20;
    private const int Scopes = 100_000;

    /// <summary>Times empty scopes into a thread-local histogram.</summary>
    /// <returns>The nanoseconds of one scope, from the fastest repetition.</returns>
    public static double Measure()
    {
        using var histogram = HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create();
        double best = double.MaxValue;
        for (int i = 0; i < Repetitions; i++)
        {
            best = Math.Min(best, Repeat(histogram) / (double)Scopes);
        }

        return best;
    }

    private static ulong Repeat(HdrHistogram histogram)
    {
        Stopwatch stopwatch = Stopwatch.StartNew();
        for (int i = 0; i < Scopes; i++)
        {
            using (histogram.GetNanoScope())
            {
            }
        }

        return stopwatch.ElapsedNanos;
    }
}
