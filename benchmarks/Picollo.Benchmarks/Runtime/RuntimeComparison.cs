using System.Globalization;
using Picollo.Benchmarks.AspNet;
using Picollo.Diagnostics;

namespace Picollo.Benchmarks.Runtime;

/// <summary><c>compare runtime</c>: compares <see cref="RuntimeMeter"/> with the runtime's own total of pauses, and measures its cost for a server, in
/// less than five minutes.</summary>
internal static class RuntimeComparison
{
    public const string Name = "runtime";

    private const string Garbage = "/garbage";
    private const int WarmUpSeconds = 3;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        PrintAgreement(output);
        PrintKnown(output);
        PrintIdle(output);
        PrintCost(output);
        return 0;
    }

    private static void PrintAgreement(TextWriter output)
    {
        TextTable table = new("Sum of 1,000 pauses", "runtime, ms", "meter, ms", "difference", "per pause", "target", "verdict");
        foreach ((string name, int threads, int live) in ((string, int, int)[])
            [("1 thread, 2,000 live objects", 1, 2_000), ("2 threads, 20,000", 2, 20_000), ("1 thread, 20,000", 1, 20_000), ("4 threads, 2,000", 4, 2_000)])
        {
            const double Target = 0.02;
            (double expected, double measured, ulong pauses) = Pauses.Measure(threads, live);
            double difference = (measured / expected) - 1;
            table.Add(
                name,
                expected.ToString("N1", CultureInfo.InvariantCulture),
                measured.ToString("N1", CultureInfo.InvariantCulture),
                difference.ToString("+0.0 %;-0.0 %", CultureInfo.InvariantCulture),
                ((measured - expected) * 1000 / pauses).ToString("+0.0 µs;-0.0 µs", CultureInfo.InvariantCulture),
                Target.ToString("<= 0 %", CultureInfo.InvariantCulture),
                Math.Abs(difference) <= Target ? "ok" : "MISSED");
        }

        table.Print(output);
    }

    private static void PrintKnown(TextWriter output)
    {
        TextTable table = new("Delays of known length", "known, ms", "meter, ms", "difference", "target", "verdict");
        Add("20 waits for a lock, sum", KnownDelays.MeasureLocks(), 0.02);
        Add("a blocked thread pool, longest delay", KnownDelays.MeasurePool(), 0.10); // a new meter reads the pool again after 40 ms
        table.Print(output);

        void Add(string name, (double Known, double Measured) one, double target)
        {
            double difference = (one.Measured / one.Known) - 1;
            table.Add(
                name,
                one.Known.ToString("N1", CultureInfo.InvariantCulture),
                one.Measured.ToString("N1", CultureInfo.InvariantCulture),
                difference.ToString("+0.0 %;-0.0 %", CultureInfo.InvariantCulture),
                target.ToString("<= 0 %", CultureInfo.InvariantCulture),
                Math.Abs(difference) <= target ? "ok" : "MISSED");
        }
    }

    private static void PrintIdle(TextWriter output)
    {
        TextTable table = new("CPU time of a server without requests, 30 s", "share of a processor", "target", "verdict");
        Add("without the meter", "none", null);
        Add("with the meter", "runtime", 0.003);
        Add("with all options", HelloServer.Everything, 0.005);
        table.Print(output);

        void Add(string name, string kind, double? target)
        {
            using HelloProcess server = new(kind);
            server.MeasureIdle(TimeSpan.FromSeconds(20)); // the JIT compiler still runs
            double share = server.MeasureIdle(TimeSpan.FromSeconds(30));
            table.Add(
                name,
                share.ToString("0.00 %", CultureInfo.InvariantCulture),
                target?.ToString("<= 0.0 %", CultureInfo.InvariantCulture) ?? "",
                target is null ? "" : share <= target ? "ok" : "MISSED");
        }
    }

    private static void PrintCost(TextWriter output)
    {
        // A collection has about fifteen events.
        TextTable table = new(
            $"CPU time of a request with the meter, {Pairs.Count} pairs", "collections/s", "µs without the meter", "ratio", "quartiles", "target", "verdict");
        AddCost(table, "generation 0 of 2 MB", gen0Size: 2_000_000, target: 1.02);
        AddCost(table, "generation 0 of 300 KB", gen0Size: 300_000, target: 1.10);
        table.Print(output);
    }

    private static void AddCost(TextTable table, string name, int gen0Size, double target)
    {
        using HelloProcess with = new("runtime", gen0Size), without = new("none", gen0Size);
        with.Measure(Garbage, WarmUpSeconds);
        without.Measure(Garbage, WarmUpSeconds);
        var pairs = Pairs.Measure(name, () => with.Measure(Garbage, 1), () => without.Measure(Garbage, 1));
        table.Add(
        [
            name,
            pairs.Average(pair => pair.With.CollectionsPerSecond).ToString("N0", CultureInfo.InvariantCulture),
            (pairs.Average(pair => pair.Without.CpuNanoseconds) / 1e3).ToString("N1", CultureInfo.InvariantCulture),
            .. Pairs.Cells(pairs.Select(pair => pair.With.CpuNanoseconds / pair.Without.CpuNanoseconds), target),
        ]);
    }

    /// <summary>Runs threads that replace live objects until there are a thousand collections.</summary>
    private static class Pauses
    {
        private const int Collections = 1_000;

        public static (double RuntimeMilliseconds, double MeterMilliseconds, ulong Count) Measure(int threads, int live)
        {
            using RuntimeMeter meter = RuntimeMeter.Start();
            Thread.Sleep(200); // the first collections after the start of a listener may be incomplete
            byte[][] objects = new byte[live][];
            GC.Collect();
            Thread.Sleep(200);
            HdrHistogramSnapshot before = meter.GcPauses.GetSnapshot();
            double start = meter.GetTotals().GcPauseTime.TotalMilliseconds;
            int first = GC.CollectionCount(0);
            Thread[] workers = [.. Enumerable.Range(0, threads).Select(seed => new Thread(() =>
            {
                Random random = new(seed);
                while (GC.CollectionCount(0) < first + Collections)
                {
                    objects[random.Next(live)] = new byte[random.Next(20, 200)];
                }
            }))];
            Array.ForEach(workers, worker => worker.Start());
            Array.ForEach(workers, worker => worker.Join());
            double end = meter.GetTotals().GcPauseTime.TotalMilliseconds;
            Thread.Sleep(500); // events are late by up to a tenth of a second
            HdrHistogramSummary all = meter.GcPauses.GetSummary(), earlier = before.GetSummary();
            return (end - start, (all.Sum - earlier.Sum) / 1e6, all.TotalCount - earlier.TotalCount);
        }
    }
}
