using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Samples.Precision;

/// <summary>Reads a clock as fast as possible, and records the steps by which it advances.</summary>
public static class StepMeter
{
    /// <summary>The number of reads before the measurement. It is enough for the JIT compiler to optimize a reader.</summary>
    private const int WarmUpReads = 2_000;

    /// <summary>Measures the steps of a clock.</summary>
    /// <param name="read">Returns the time of the clock, in nanoseconds of CPU time.</param>
    /// <param name="duration">The duration of the measurement.</param>
    public static Steps Measure(Func<long> read, TimeSpan duration)
    {
        for (int i = 0; i < WarmUpReads; i++)
        {
            read();
        }

        PlainHdrHistogram<uint> histogram = HdrHistogram.Factory.WithRelativeError(0.001).Create();
        long reads = 0;
        long start = Stopwatch.GetTimestamp();
        long last = read();
        do
        {
            long now = read();
            reads++;
            // Backward steps are ignored.
            if (now > last)
            {
                histogram.Record((ulong)(now - last));
                last = now;
            }
        }
        while (Stopwatch.GetElapsedTime(start) < duration);

        return new Steps(histogram, reads);
    }
}

/// <summary>The steps of a clock.</summary>
/// <param name="Histogram">The histogram of the steps, in nanoseconds.</param>
/// <param name="Reads">The number of reads.</param>
public sealed record Steps(HdrHistogram Histogram, long Reads);
