using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/histogram.md.</summary>
internal static class HistogramGuide
{
    public static HdrHistogram First()
    {
        var latency = HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create();

        Parallel.For(0, 100_000, i =>
        {
            using (latency.GetNanoScope())
            {
                _ = Convert.ToHexString(BitConverter.GetBytes(i));
            }
        });

        Console.WriteLine(latency.GetPercentileValue(99));            // 99 % of the calls took at most this many nanoseconds
        latency.GetSummary().PrettyPrint("Latency, ns");

        return latency;
    }

    public static (double WithinTarget, ulong InBetween, ulong P999) Reading(HdrHistogram histogram)
    {
        HdrHistogramSummary summary = histogram.GetSummary();         // sixteen percentiles, count, mean, standard deviation
        histogram.GetSummary(summary);                                // updates the same object and allocates nothing

        ulong p999 = histogram.GetPercentileValue(99.9);
        double withinTarget = histogram.GetPercentileRank(25_000);    // the percentage of values that are 25,000 or less
        ulong inBetween = histogram.GetCountBetween(20_000, 25_000);
        foreach (Percentile percentile in histogram.BucketPercentilesWithValues)
        {
            Console.WriteLine(percentile);                            // P13.9573=20,096 [64 / 590]: [19,968, 20,224) 88,509
        }

        return (withinTarget, inBetween, p999);
    }

    public static HdrHistogram Comparing()
    {
        var histogram = HdrHistogram.Factory
            .WithRelativeError(0.01)          // percentiles within 1 %
            .WithMinTrackableValue(10_000)    // optional: a smaller range needs less memory
            .WithMaxTrackableValue(30_000)
            .Create();

        var random = new Random(0);
        for (int i = 0; i < 1_000_000; i++)
        {
            histogram.Record((ulong)(20_000 + (0.5 - random.NextDouble()) * 1000 + Math.Pow(random.NextDouble(), 2) * 5000));
        }

        HdrHistogramSummary before = histogram.GetSummary();
        Console.WriteLine(before.P99);                // P99=24,960 [83 / 609]: [24,832, 25,088) 14,190
        histogram.Reset();

        for (int i = 0; i < 2_000_000; i++)
        {
            histogram.Record((ulong)(19_000 + (0.5 - random.NextDouble()) * 500 + Math.Pow(random.NextDouble(), 3) * 10_000));
        }

        before.PrettyPrintDiff(histogram.GetSummary(), "Getting started", "Before", "After");

        return histogram;
    }

    public static void Exporting(TextWriter target, ReadOnlyHdrHistogram source)
    {
        WriteCumulative(target, source);

        static void WriteCumulative(TextWriter output, ReadOnlyHdrHistogram histogram)
        {
            using HdrHistogramCounts counts = histogram.GetCounts();          // the used buckets, in pooled memory
            ReadOnlySpan<ulong> used = counts.AsSpan();
            ulong total = counts.CountBelowRange;
            for (int i = 0; i < used.Length; i++)
            {
                if (used[i] != 0)
                {
                    total += used[i];
                    output.WriteLine($"{counts.Layout.GetEnd(counts.FirstIndex + i)}: {total}");
                }
            }
        }
    }

    public static void Monitoring(HdrHistogram histogram)
    {
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        HdrHistogramSummary interval = new();
        for (int second = 0; second < 3; second++)
        {
            Thread.Sleep(1000);
            snapshot.Update(deltas: true);
            Console.WriteLine(snapshot.GetSummary(interval).ToString("requests"));
        }
    }

    public static async Task LastMinuteAsync(HdrHistogram histogram, CancellationToken cancellationToken)
    {
        var window = new HdrHistogramWindow(histogram, intervals: 60);
        ReadOnlyHdrHistogram lastMinute = window.GetLast(60);
        using var everySecond = new PeriodicTimer(TimeSpan.FromSeconds(1));
        while (await everySecond.WaitForNextTickAsync(cancellationToken))
        {
            window.Rotate();
            Console.WriteLine(lastMinute.GetPercentileValue(99));
        }
    }
}
