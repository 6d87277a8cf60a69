using System.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Samples;

/// <summary>Measures the smallest steps by which <see cref="Stopwatch"/> advances. They can be larger than one tick.</summary>
public static class ClockResolution
{
    public static void Run(int steps = 1_000_000)
    {
        var histogram = HdrHistogram.Factory.Create();

        long last = Stopwatch.GetTimestamp();
        for (int i = 0; i < steps; i++)
        {
            long now = Stopwatch.GetTimestamp();
            while (now == last)
            {
                now = Stopwatch.GetTimestamp();
            }

            histogram.Record((ulong)(now - last));
            last = now;
        }

        HdrHistogramSummary summary = histogram.GetSummary();
        Console.WriteLine($"Stopwatch.Frequency: {Stopwatch.Frequency:N0}");
        Console.WriteLine(summary.P0);
        Console.WriteLine(summary.P50);
        Console.WriteLine(summary.P99);
        Console.WriteLine($"P50 measurable nanos: {summary.P50.Value * 1e9 / Stopwatch.Frequency}");
    }
}
