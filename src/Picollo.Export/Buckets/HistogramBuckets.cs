using System.Collections.Concurrent;

namespace Picollo.Export;

/// <summary>The counters of a histogram that belong to each of the buckets of an exported histogram.</summary>
internal abstract class HistogramBuckets
{
    // A run of up to two empty buckets takes fewer bytes as counts of 0 than as a new span.
    private const int LongestGap = 2;

    /// <summary>The index in the layout of the first counter that belongs to a bucket.</summary>
    public int ZeroEnd { get; protected init; }

    public int FirstBucket { get; protected init; }

    /// <summary>For each bucket, the index in the layout after its last counter.</summary>
    protected int[] Ends { get; init; } = [];

    /// <summary>Reads the used buckets in ascending order, including short runs of empty buckets between them. Values above the last end,
    /// also those above the range of the histogram, are in the bucket after the last one.</summary>
    public void ReadUsed(HdrHistogramCounts counts, List<(int Bucket, ulong Count)> used)
    {
        used.Clear();
        int from = ZeroEnd;
        for (int i = 0; i < Ends.Length; i++)
        {
            Add(i, counts.GetCount(from, Ends[i]));
            from = Ends[i];
        }

        Add(Ends.Length, counts.GetCount(from, int.MaxValue) + counts.CountAboveRange);

        void Add(int bucket, ulong count)
        {
            if (count == 0)
            {
                return;
            }

            int next = used.Count == 0 ? bucket : used[^1].Bucket - FirstBucket + 1;
            while (next < bucket && bucket - next <= LongestGap)
            {
                used.Add((FirstBucket + next++, 0));
            }

            used.Add((FirstBucket + bucket, count));
        }
    }
}

/// <summary>Caches the buckets for each kind of histogram. There are few kinds. Thread-safe.</summary>
/// <param name="create">Creates the buckets of a histogram, whose values are divided by a ratio.</param>
internal sealed class BucketsCache<TBuckets>(Func<ReadOnlyHdrHistogram, double, TBuckets> create)
    where TBuckets : HistogramBuckets
{
    private readonly ConcurrentDictionary<(HdrHistogramLayout, ulong Min, ulong Max, double Ratio), TBuckets> _buckets = new();

    public TBuckets Get(HdrHistogramRegistration registration)
    {
        HdrHistogram histogram = registration.Histogram;
        double ratio = registration.Description.Unit.Ratio;
        return _buckets.GetOrAdd(
            (histogram.Layout, histogram.MinTrackableValue, histogram.MaxTrackableValue, ratio), _ => create(histogram, ratio));
    }
}
