using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>A histogram when it was marked, and what came after; or, where the mark is no former state of it, what there is now.</summary>
/// <param name="Before">What was marked.</param>
/// <param name="After">What was counted since, or all that there is.</param>
/// <param name="IsContinued">False where counting began anew in between: another process, or a reset. The mark of the last release can so
/// be compared with this one.</param>
internal sealed record MarkedPair(ReadOnlyHdrHistogram Before, ReadOnlyHdrHistogram After, bool IsContinued)
{
    /// <param name="marked">Of any precision; values that <paramref name="now"/> has no place for are left out.</param>
    /// <param name="now">At one moment.</param>
    public static MarkedPair Of(ReadOnlyHdrHistogram marked, HdrHistogramSnapshot now)
    {
        PlainHdrHistogram<ulong> before = Like(now);
        before.Add(marked);

        // The mark's buckets lie where those of now do: a former state has none that is fuller.
        PlainHdrHistogram<ulong> after = Like(now);
        using IEnumerator<Bucket> buckets = before.BucketsWithValues.GetEnumerator();
        bool isMore = buckets.MoveNext();
        bool isContinued = true;
        foreach (Bucket bucket in now.BucketsWithValues)
        {
            ulong old = 0;
            if (isMore && buckets.Current.StorageIndex == bucket.StorageIndex)
            {
                old = buckets.Current.Count;
                isMore = buckets.MoveNext();
            }

            isContinued &= old <= bucket.Count;
            if (isContinued && bucket.Count > old)
            {
                after.Record(bucket.Start + (bucket.Step / 2), bucket.Count - old);
            }
        }

        return isContinued && !isMore ? new(before, after, true) : new(before, now, false);
    }

    private static PlainHdrHistogram<ulong> Like(ReadOnlyHdrHistogram histogram) =>
        HdrHistogram.Factory.WithLayoutOf(histogram).WithUInt64Storage().Create();
}
