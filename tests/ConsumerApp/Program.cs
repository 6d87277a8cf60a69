using System.Diagnostics;
using System.Globalization;
using System.Text;
using Picollo.Metrics;
using Picollo.Timing;

namespace ConsumerApp;

/// <summary>Uses the packages as an application does, and prints the results as lines of "name=value".</summary>
internal static class Program
{
    // Much longer than a scope takes, so that each unit can be distinguished from noise, but short enough to run five times.
    private static readonly TimeSpan Work = TimeSpan.FromMilliseconds(20);

    private static async Task Main()
    {
        // The output has the same bytes on all systems: no code page, no carriage returns.
        Console.SetOut(new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false))
        {
            AutoFlush = true,
            NewLine = "\n",
        });

        Print("stopwatch-frequency", Stopwatch.Frequency);
        Print("cycle-counter", CycleClock.IsCycleCounter);
        Print("cycle-clock-status", CycleClock.UnavailableReason ?? "the cycle counter is in use");

        MeasureWork("tick-scope", h => h.GetTickScope(), Stopwatch.Frequency);
        MeasureWork("nano-scope", h => h.GetNanoScope(), NanoScope.OneSecondValue);
        MeasureWork("micro-scope", h => h.GetMicroScope(), MicroScope.OneSecondValue);
        MeasureWork("milli-scope", h => h.GetMilliScope(), MilliScope.OneSecondValue);
        MeasureWork("pico-scope", h => h.GetPicoScope(), PicoScope.OneSecondValue);
        MeasureNothing();
        RecordFromManyThreads();
        foreach ((string name, object? value) in await Pool.Use())
        {
            Print(name, value);
        }

        Print("tables", "");
        Picollo.Samples.GettingStarted.Run();
    }

    // The value of the scope is between the readings of a stopwatch inside the scope and one around it, even on a busy machine.
    private static void MeasureWork<TScope>(string name, Func<HdrHistogram, TScope> open, double unitsPerSecond)
        where TScope : IDisposable
    {
        using var h = HdrHistogram.Factory.WithRelativeError(0.00001).Create();
        var outer = Stopwatch.StartNew();
        TimeSpan inner;
        using (open(h))
        {
            var work = Stopwatch.StartNew();
            while (work.Elapsed < Work)
            {
            }

            inner = work.Elapsed;
        }

        outer.Stop();
        Print(name, FormattableString.Invariant(
            $"{inner.TotalSeconds * unitsPerSecond:F0} {h.GetPercentileValue(100)} {outer.Elapsed.TotalSeconds * unitsPerSecond:F0}"));
    }

    // Measures the resolution of the cycle counter: the number of distinct durations below one tick of the Windows Stopwatch, 100 ns.
    private static void MeasureNothing()
    {
        const int scopes = 200_000;
        const ulong hundredNanosecondsInPicoseconds = 100_000;
        using var h = HdrHistogram.Factory.WithRelativeError(0.001).Create();
        for (int i = 0; i < scopes; i++)
        {
            using (h.GetPicoScope())
            {
            }
        }

        Print("empty-pico-scopes", h.TotalCount);
        Print("distinct-below-100-ns", h.BucketsWithValues.Count(b => b.Start + b.Step <= hundredNanosecondsInPicoseconds));
    }

    private static void RecordFromManyThreads()
    {
        const int threads = 4;
        const int records = 10_000;
        using var h = HdrHistogram.Factory.WithThreadLocal().Create();
        var workers = Enumerable.Range(0, threads).Select(_ => new Thread(() =>
        {
            for (ulong value = 1; value <= records; value++)
            {
                h.Record(value);
            }
        })).ToList();
        workers.ForEach(worker => worker.Start());
        workers.ForEach(worker => worker.Join());
        Print("thread-local-total", h.TotalCount);
    }

    private static void Print(string name, object? value) =>
        Console.WriteLine(string.Create(CultureInfo.InvariantCulture, $"{name}={value}"));
}
