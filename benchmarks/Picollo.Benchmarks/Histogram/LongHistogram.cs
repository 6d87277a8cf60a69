using System.Numerics;

namespace Picollo.Benchmarks.Histogram;

/// <summary>The algorithm of <c>LongHistogram.RecordValue</c> of HdrHistogram.NET 2.5, without its virtual calls. It computes the indexes of the
/// bucket and the sub-bucket, and increments an element of a <c>long[]</c> (with a bounds check) and the total count. The library itself is not
/// available to this project.</summary>
internal sealed class LongHistogram
{
    private readonly long _subBucketMask;
    private readonly int _bucketIndexOffset;
    private readonly int _subBucketHalfCountMagnitude;
    private readonly int _subBucketHalfCount;
    private readonly long[] _counts;
    private long _totalCount;

    public LongHistogram(int subBucketHalfCount, long highestTrackableValue)
    {
        _subBucketHalfCount = subBucketHalfCount;
        _subBucketHalfCountMagnitude = BitOperations.Log2((uint)subBucketHalfCount);
        _subBucketMask = (2L * subBucketHalfCount) - 1;
        _bucketIndexOffset = 64 - _subBucketHalfCountMagnitude - 1;
        _counts = new long[IndexOf(highestTrackableValue) + 1];
    }

    public ulong[] Counts => Array.ConvertAll(_counts, count => (ulong)count);

    public long TotalCount => _totalCount;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void RecordValue(long value)
    {
        _counts[IndexOf(value)]++;
        _totalCount++;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int IndexOf(long value)
    {
        int bucketIndex = _bucketIndexOffset - BitOperations.LeadingZeroCount((ulong)(value | _subBucketMask));
        int subBucketIndex = (int)(value >> bucketIndex);
        return ((bucketIndex + 1) << _subBucketHalfCountMagnitude) + (subBucketIndex - _subBucketHalfCount);
    }
}

/// <summary>Records with the algorithm, in a local variable.</summary>
internal readonly struct LongHistogramInLocal(LongHistogram histogram) : IRecorder
{
    public void Record(ulong value) => histogram.RecordValue((long)value);
}

/// <summary>Records with the algorithm, in a <c>static readonly</c> field.</summary>
internal readonly struct LongHistogramInStaticField : IRecorder
{
    public static readonly LongHistogram Histogram = new(RecordContender.BlockSize, (long)ValueSet.MaxTrackableValue);

    public void Record(ulong value) => Histogram.RecordValue((long)value);
}
