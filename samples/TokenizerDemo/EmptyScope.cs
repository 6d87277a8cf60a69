using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Samples.Tokenizer;

/// <summary>Measures the cost of an empty scope, which is the overhead of a measurement.</summary>
public static class EmptyScope
{
    private const int Repetitions = 20;
    private const int Scopes = 100_000;

    /// <summary>Measures empty scopes that use <see cref="Stopwatch"/>.</summary>
    /// <returns>The nanoseconds per scope in the fastest repetition.</returns>
    public static double MeasureNanoScope() => Fastest(RepeatNanoScope);

    /// <summary>Measures empty scopes that use the CPU's time counter.</summary>
    /// <returns>The nanoseconds per scope in the fastest repetition.</returns>
    public static double MeasurePicoScope() => Fastest(RepeatPicoScope);

    private static double Fastest(Action<HdrHistogram> repeat)
    {
        using var histogram = HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create();
        double best = double.MaxValue;
        for (int i = 0; i < Repetitions; i++)
        {
            Stopwatch stopwatch = Stopwatch.StartNew();
            repeat(histogram);
            best = Math.Min(best, stopwatch.ElapsedNanos / (double)Scopes);
        }

        return best;
    }

    private static void RepeatNanoScope(HdrHistogram histogram)
    {
        for (int i = 0; i < Scopes; i++)
        {
            using (histogram.GetNanoScope())
            {
            }
        }
    }

    private static void RepeatPicoScope(HdrHistogram histogram)
    {
        for (int i = 0; i < Scopes; i++)
        {
            using (histogram.GetPicoScope())
            {
            }
        }
    }
}
