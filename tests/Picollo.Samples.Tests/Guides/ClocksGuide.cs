using System.Diagnostics;
using Picollo.Metrics;
using Picollo.Timing;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/clocks-and-scopes.md.</summary>
internal static class ClocksGuide
{
    public static HdrHistogram Scopes()
    {
        var parsing = HdrHistogram.Factory.WithRelativeError(0.01).Create();
        for (int i = 0; i < 10_000; i++)
        {
            using (parsing.GetPicoScope())
            {
                _ = int.Parse("12345");
            }
        }

        Console.WriteLine($"{parsing.GetPercentileValue(50) / 1000.0:N1} ns"); // 30.1 ns

        return parsing;
    }

    public static ulong Ticks()
    {
        static void DoWork() => Thread.SpinWait(100);

        long start = Stopwatch.GetTimestamp();
        DoWork();
        ulong nanoseconds = NanoScope.TicksToNanos(Stopwatch.GetTimestamp() - start);

        return nanoseconds;
    }

    public static void CounterOrReason()
    {
        Console.WriteLine(CycleClock.IsCycleCounter
            ? "The CPU's counter is used."
            : CycleClock.UnavailableReason);
    }
}
