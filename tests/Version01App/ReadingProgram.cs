using Picollo.Metrics;

namespace Version01App;

/// <summary>Reads percentiles and buckets, and prints tables.</summary>
public static class ReadingProgram
{
    public static void Run()
    {
        HdrHistogram h = HdrHistogram.Factory.WithRelativeError(0.01).WithUInt32Storage().Create();
        for (ulong value = 1_000; value < 2_000; value++)
        {
            h.Record(value);
        }

        Percentiles(h);
        Buckets(h);
        Tables(h);
    }

    private static void Percentiles(HdrHistogram h)
    {
        ulong[] values = new ulong[3];
        h.GetPercentileValues(sortedRanks: [50, 90, 99], values: values, valueSelection: EquivalentValueSelection.LowerBound);
        Console.WriteLine($"lower bounds: {string.Join(' ', values)}");
        Console.WriteLine($"upper bound: {h.GetPercentileValue(rank: 50, valueSelection: EquivalentValueSelection.UpperBound)}");
        Console.WriteLine($"interpolated: {h.GetPercentileValue(50, EquivalentValueSelection.Interpolated)}");
        Console.WriteLine($"default: {h.GetPercentileValue(50)}");

        Percentile[] percentiles = new Percentile[2];
        h.GetPercentiles(sortedRanks: [10, 20], percentiles: percentiles);
        Percentile p20 = percentiles[1];
        Console.WriteLine($"P{p20.Rank}: {p20.TargetCount} of {p20.RunningCount}, before {p20.RunningCountBefore}");
        Console.WriteLine($"selection: {p20.GetValue(EquivalentValueSelection.Midpoint) == p20.Bucket.MidPoint}");

        HdrHistogramSummary summary = h.GetSummary();
        Console.WriteLine($"percentiles: {summary.Percentiles.Length}, {summary.Percentiles[5].Value == summary.P50.Value}");
    }

    private static void Buckets(HdrHistogram h)
    {
        Buckets buckets = h.BucketsWithValues;
        BucketPercentiles bucketPercentiles = h.BucketPercentilesWithValues;
        Console.WriteLine($"buckets: {buckets.Count()} and {bucketPercentiles.Count()} of {h.Buckets.Count()}");

        Bucket bucket = h.GetBucket(value: 1_500);
        Console.WriteLine($"bucket: {bucket.Start} to {bucket.End}, middle {bucket.MidPoint}, next {bucket.NextBucketStart}, {bucket.Count} values");
        Console.WriteLine($"valid: {bucket.IsValid}, {default(Bucket).IsValid}, overflow: {bucket.IsOverflowBucket}");

        try
        {
            _ = new Buckets().Count();
        }
        catch (InvalidOperationException)
        {
            Console.WriteLine("a default enumerable throws");
        }
    }

    private static void Tables(HdrHistogram h)
    {
        HdrHistogramSummary before = h.GetSummary();
        HdrHistogramSummary empty = HdrHistogram.Create().GetSummary();
        before.PrettyPrint(null);
        before.PrettyPrint(title: "Values");
        before.PrettyPrintDiff(before, title: "Same", thisName: "First", otherName: "Second");
        empty.PrettyPrintDiff(empty, null);
    }
}
