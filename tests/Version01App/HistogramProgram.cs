using System.Diagnostics;
using Picollo.Metrics;

namespace Version01App;

/// <summary>Configures factories at run time, records, and uses scopes and snapshots.</summary>
public static class HistogramProgram
{
    public static void Run()
    {
        Record("plain", HdrHistogram.Create());
        Record("interlocked", Create(interlocked: true, threadLocal: false, uint32: false));
        Record("thread-local", Create(interlocked: false, threadLocal: true, uint32: true));
        RecordInRange();
        Scopes();
        Snapshots();
    }

    private static HdrHistogram Create(bool interlocked, bool threadLocal, bool uint32) => HdrHistogram.Factory
        .WithRelativeError(value: 0.01)
        .WithMinTrackableValue(value: 100)
        .WithMaxTrackableValue(value: 1_000_000)
        .WithInterlocked(enabled: interlocked)
        .WithThreadLocal(enabled: threadLocal, accumulateInterval: TimeSpan.FromMilliseconds(100))
        .WithUInt32Storage(enabled: uint32)
        .Create();

    private static void Record(string name, HdrHistogram h)
    {
        h.Record(value: 1_000);
        h.Record(value: 2_000, count: 3);
        HdrHistogramSummary summary = h.GetSummary();
        HdrHistogramSummary same = h.GetSummary(reuseInstance: summary);
        Console.WriteLine($"{name}: {same.TotalCount} values, reused {ReferenceEquals(same, summary)}");
    }

    private static void RecordInRange()
    {
        HdrHistogram h = HdrHistogram.Factory.WithMaxTrackableValue(1_000).Create();
        h.RecordInRange(50, min: 100, max: 200, throwOnOutOfRange: false);
        h.RecordInRange(150, min: 100, max: 200);
        try
        {
            h.RecordInRange(250, 100, 200, throwOnOutOfRange: true);
        }
        catch (ArgumentOutOfRangeException)
        {
            Console.WriteLine($"in range: {h.TotalCount}, overflow: {h.OverflowCount}");
        }
    }

    private static void Scopes()
    {
        HdrHistogram h = HdrHistogram.Factory.WithMaxTrackableValue(TickScope.OneSecondValue * 3_600).Create();
        using (new TickScope(h))
        using (new NanoScope(h))
        using (new MicroScope(h))
        using (new MilliScope(h))
        {
        }

        NanoScope scope = new(h);
        ulong elapsed = scope.ElapsedNanos;
        scope.Dispose();
        scope.Dispose();
        Console.WriteLine($"scopes: {h.TotalCount}, elapsed in order: {elapsed <= h.GetSummary().P100.Bucket.End || elapsed > 0}");

        ulong ticks = (ulong)Stopwatch.Frequency;
        Console.WriteLine($"ticks: {NanoScope.TicksToNanos(stopwatchTicks: ticks)}, {NanoScope.TicksToNanos(Stopwatch.Frequency)}");
        Console.WriteLine($"seconds: {NanoScope.OneSecondValue}, {MicroScope.OneSecondValue}, {MilliScope.OneSecondValue}, {TickScope.OneSecondValue == ticks}");
    }

    private static void Snapshots()
    {
        HdrHistogram h = HdrHistogram.Factory.WithThreadLocal().Create();
        h.Record(10);
        using var snapshot = h.GetSnapshot();
        h.Record(20);
        using HdrHistogramSnapshot copy = snapshot.GetSnapshot();
        snapshot.Update(deltas: true);
        Console.WriteLine($"snapshot: {snapshot.TotalCount} of {h.TotalCount}, copy: {copy.TotalCount}");
        Console.WriteLine($"time: {snapshot.TimestampUtc.Kind}, {snapshot.GetSummary().TimestampUtc == snapshot.TimestampUtc}");
    }
}
