using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Samples.Precision;

/// <summary>Reads a clock as fast as it goes and records by how much it advances when it does.</summary>
public static class StepMeter
{
    /// <summary>Above what a reader needs to be compiled for good.</summary>
    private const int WarmUpReads = 2_000;

    /// <summary>The steps seen in so much time, in nanoseconds.</summary>
    /// <param name="read">The clock: nanoseconds of CPU time.</param>
    /// <param name="duration">How long to read it.</param>
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
            // A step back is none.
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

/// <summary>What was seen of a clock.</summary>
/// <param name="Histogram">Each advance, in nanoseconds.</param>
/// <param name="Reads">How many reads there were.</param>
public sealed record Steps(HdrHistogram Histogram, long Reads);
