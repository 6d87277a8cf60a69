using Picollo.Metrics;
using Picollo.Timing;

namespace Picollo.Samples;

/// <summary>Measures the same steps as <see cref="ClockResolution"/> for the CPU's time counter, in picoseconds.</summary>
public static class CycleResolution
{
    public static void Run(int steps = 1_000_000)
    {
        var histogram = HdrHistogram.Factory.Create();

        long last = CycleClock.GetTimestamp();
        for (int i = 0; i < steps; i++)
        {
            long now = CycleClock.GetTimestamp();
            while (now == last)
            {
                now = CycleClock.GetTimestamp();
            }

            histogram.Record(CycleClock.TicksToPicoseconds(now - last));
            last = now;
        }

        HdrHistogramSummary summary = histogram.GetSummary();
        Console.WriteLine(CycleClock.IsCycleCounter
            ? $"CycleClock.Frequency: {CycleClock.Frequency:N0}"
            : $"CycleClock uses Stopwatch on this machine: {CycleClock.UnavailableReason}");
        Console.WriteLine(summary.P0);
        Console.WriteLine(summary.P50);
        Console.WriteLine(summary.P99);
        Console.WriteLine($"P50 measurable picos: {summary.P50.Value}");
    }
}
