using System.Buffers;

namespace Picollo.Metrics;

/// <content>Percentiles, ranks and buckets.</content>
public abstract partial class ReadOnlyHdrHistogram
{
    /// <summary>All buckets of the range in ascending order, including empty buckets. The counts are read when an enumeration
    /// starts.</summary>
    [JsonIgnore]
    public Buckets Buckets => new(this, withValuesOnly: false);

    /// <summary>The buckets with recorded values, in ascending order. The counts are read when an enumeration starts.</summary>
    public Buckets BucketsWithValues => new(this, withValuesOnly: true);

    /// <summary>All buckets with their percentile ranks, in ascending order. The counts are read when an enumeration starts. The rank is
    /// the mid-rank: the share of the values before the bucket plus half of the bucket's values, in percent.</summary>
    [JsonIgnore]
    public BucketPercentiles BucketPercentiles => new(this, withValuesOnly: false);

    /// <summary>The buckets of <see cref="BucketPercentiles"/> with recorded values.</summary>
    [JsonIgnore]
    public BucketPercentiles BucketPercentilesWithValues => new(this, withValuesOnly: true);

    /// <summary>Returns the percentile at a rank. Its bucket is the first one whose cumulative count is at least rank ×
    /// <see cref="TotalCount"/> / 100, and at least 1. A rank with up to six decimals is exact: rank 99.9 of the values 1 to 1000 is 999.
    /// For any other rank, the next smaller <see cref="double"/> is used, so that <c>100.0 * k / n</c> of n values is the k-th
    /// value.</summary>
    /// <param name="rank">The rank in percent, from 0 (the smallest recorded value) to 100 (the largest).</param>
    /// <returns>The percentile. In an empty histogram, its value and counts are 0.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="rank"/> is outside its range or NaN.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public Percentile GetPercentile(double rank)
    {
        Percentile percentile = default;
        ReadPercentiles(new ReadOnlySpan<double>(in rank), new Span<Percentile>(ref percentile), default, default, nameof(rank));
        return percentile;
    }

    /// <summary>Returns the value at a rank: the <see cref="Percentile.Value"/> of <see cref="GetPercentile"/>.</summary>
    /// <param name="rank">The rank in percent, from 0 to 100.</param>
    /// <returns>The value; 0 in an empty histogram.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="rank"/> is outside its range or NaN.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public ulong GetPercentileValue(double rank) => GetPercentile(rank).Value;

    /// <summary>Returns the value at a rank: the <see cref="Percentile.GetValue"/> of <see cref="GetPercentile"/>.</summary>
    /// <param name="rank">The rank in percent, from 0 to 100.</param>
    /// <param name="valueSelection">The value of the bucket to return.</param>
    /// <returns>The value; 0 in an empty histogram.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="rank"/> is outside its range or NaN, or
    /// <paramref name="valueSelection"/> is not a defined selection.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public ulong GetPercentileValue(double rank, EquivalentValueSelection valueSelection) =>
        GetPercentile(rank).GetValue(valueSelection);

    /// <summary>Gets the percentiles at several ranks, all from one read.</summary>
    /// <param name="sortedRanks">The ranks in percent, each from 0 to 100. Ascending order is fastest; any order is correct.</param>
    /// <param name="percentiles">Receives the percentile of each rank at the same index. Further elements do not change.</param>
    /// <exception cref="ArgumentOutOfRangeException">A rank is outside its range or NaN; nothing was written.</exception>
    /// <exception cref="ArgumentException"><paramref name="percentiles"/> is shorter than <paramref name="sortedRanks"/>.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public void GetPercentiles(ReadOnlySpan<double> sortedRanks, Span<Percentile> percentiles)
    {
        CheckDestination(sortedRanks.Length, percentiles.Length, nameof(percentiles));
        ReadPercentiles(sortedRanks, percentiles, default, default, nameof(sortedRanks));
    }

    /// <summary>Gets the values at several ranks, all from one read.</summary>
    /// <param name="sortedRanks">The ranks in percent, each from 0 to 100. Ascending order is fastest; any order is correct.</param>
    /// <param name="values">Receives the value of each rank at the same index. Further elements do not change.</param>
    /// <param name="valueSelection">The value of each bucket to return.</param>
    /// <exception cref="ArgumentOutOfRangeException">A rank is outside its range or NaN, or <paramref name="valueSelection"/> is not a
    /// defined selection; nothing was written.</exception>
    /// <exception cref="ArgumentException"><paramref name="values"/> is shorter than <paramref name="sortedRanks"/>.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public void GetPercentileValues(
        ReadOnlySpan<double> sortedRanks,
        Span<ulong> values,
        EquivalentValueSelection valueSelection = EquivalentValueSelection.Default)
    {
        CheckDestination(sortedRanks.Length, values.Length, nameof(values));
        _ = default(Percentile).GetValue(valueSelection); // throws before anything is written
        ReadPercentiles(sortedRanks, default, values, valueSelection, nameof(sortedRanks));
    }

    /// <summary>Returns the percentage of recorded values that are at or below a value, for example for a service level
    /// objective.</summary>
    /// <param name="value">The value, in the unit of the recorded values. Its whole bucket counts as at or below it.</param>
    /// <returns>The percentage of the values within the range, from 0 to 100. It is 0 in an empty histogram and for a value below the
    /// range, and 100 for a value above it. Otherwise it is rounded so that <see cref="GetPercentileValue(double)"/> of it is not above the
    /// value's bucket.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public double GetPercentileRank(ulong value)
    {
        using CountsCopy copy = Read();
        return PercentileRank.FromCount(CounterMath.Sum(copy.Counts[..EndOf(value)]), CounterMath.Sum(copy.Counts));
    }

    /// <summary>Returns the number of recorded values in the buckets from one value to another.</summary>
    /// <param name="low">The smallest value; its whole bucket is counted.</param>
    /// <param name="high">The largest value; its whole bucket is counted.</param>
    /// <returns>The number of values, without values outside the range.</returns>
    /// <exception cref="ArgumentException"><paramref name="low"/> is above <paramref name="high"/>.</exception>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public ulong GetCountBetween(ulong low, ulong high)
    {
        if (low > high)
        {
            throw new ArgumentException($"low ({low}) must not be above high ({high}).", nameof(low));
        }

        using CountsCopy copy = Read();
        return CounterMath.Sum(copy.Counts[StartOf(low)..EndOf(high)]);
    }

    /// <summary>Returns the bucket of a value with its count.</summary>
    /// <param name="value">The value.</param>
    /// <returns>The bucket. For a value outside the range, <see cref="Bucket.IsOverflowBucket"/> is <see langword="true"/>, the start and
    /// the step are those that its bucket would have, and the count is that of all values on the same side of the range.</returns>
    /// <exception cref="ObjectDisposedException">The histogram is disposed.</exception>
    public Bucket GetBucket(ulong value)
    {
        using CountsCopy copy = Read();
        uint logicalIndex = Layout.IndexOf(value);
        uint storageIndex = logicalIndex - FirstIndex;
        if (storageIndex < (uint)Length)
        {
            return BucketAt((int)storageIndex, copy.Counts[(int)storageIndex]);
        }

        ulong count = value < MinTrackableValue ? copy.Underflow : copy.Overflow;
        return new Bucket(Layout, logicalIndex, count, Bucket.OutOfRangeIndex);
    }

    private static void CheckDestination(int ranks, int destination, string name)
    {
        if (destination < ranks)
        {
            throw new ArgumentException($"The destination has room for {destination} of {ranks} ranks.", name);
        }
    }

    /// <summary>Returns the storage index of the first counter whose bucket ends at or above <paramref name="value"/>.</summary>
    private int StartOf(ulong value)
    {
        uint index = Layout.IndexOf(value);
        return index < FirstIndex ? 0 : (int)Math.Min(index - FirstIndex, (uint)Length);
    }

    /// <summary>Returns the storage index after the last counter whose bucket starts at or below <paramref name="value"/>.</summary>
    private int EndOf(ulong value)
    {
        uint index = Layout.IndexOf(value);
        return index < FirstIndex ? 0 : (int)Math.Min(index - FirstIndex + 1, (uint)Length);
    }

    private void ReadPercentiles(
        ReadOnlySpan<double> ranks,
        Span<Percentile> percentiles,
        Span<ulong> values,
        EquivalentValueSelection valueSelection,
        string ranksName)
    {
        foreach (double rank in ranks)
        {
            if (rank is not (>= 0 and <= PercentileRank.Max))
            {
                throw new ArgumentOutOfRangeException(ranksName, rank, "A percentile rank must be from 0 to 100.");
            }
        }

        EquivalentValueSelection selection = Percentile.DefaultEquivalentValueSelection;
        CounterAtRank[] found = ArrayPool<CounterAtRank>.Shared.Rent(ranks.Length);
        ReadCounters(ranks, found, needsMoments: false, out _);
        for (int i = 0; i < ranks.Length; i++)
        {
            Percentile percentile = Percentile.FromCounter(ranks[i], found[i], Layout, FirstIndex, selection);
            if (percentiles.IsEmpty)
            {
                values[i] = percentile.GetValue(valueSelection);
            }
            else
            {
                percentiles[i] = percentile;
            }
        }

        ArrayPool<CounterAtRank>.Shared.Return(found);
    }

    /// <summary>Reads the counters of ranks and, if needed, the moments, all from one read.</summary>
    private void ReadCounters(ReadOnlySpan<double> ranks, Span<CounterAtRank> found, bool needsMoments, out CounterReading reading)
    {
        if (TryReadInPlace(ranks, found, needsMoments, out reading))
        {
            return;
        }

        using CountsCopy copy = Read();
        ulong[]? counts = copy.Buffer;
        bool isRead = CounterScan.TryRead(
            Range, CounterView<ulong>.FromArray(ref counts, 0, Length), ranks, found, needsMoments, out CounterMoments moments);
        Debug.Assert(isRead, "No thread writes to a copy.");
        reading = new CounterReading(moments, copy.Underflow + copy.Overflow);
    }

    /// <summary>Works like <see cref="ReadCounters"/>, without a copy. Returns <see langword="false"/> if the counters do not contain all
    /// counts or were changed in the meantime.</summary>
    private protected virtual bool TryReadInPlace(
        ReadOnlySpan<double> ranks, Span<CounterAtRank> found, bool needsMoments, out CounterReading reading)
    {
        reading = default;
        return false;
    }

    internal IEnumerable<Bucket> EnumerateBuckets(bool withValuesOnly)
    {
        using CountsCopy copy = Read();
        for (int i = 0; i < Length; i++)
        {
            ulong count = copy.Counts[i];
            if (count != 0 || !withValuesOnly)
            {
                yield return BucketAt(i, count);
            }
        }
    }

    internal IEnumerable<Percentile> EnumerateBucketPercentiles(bool withValuesOnly)
    {
        EquivalentValueSelection selection = Percentile.DefaultEquivalentValueSelection;
        using CountsCopy copy = Read();
        ulong total = CounterMath.Sum(copy.Counts);
        ulong before = 0;
        for (int i = 0; i < Length; i++)
        {
            ulong count = copy.Counts[i];
            if (count != 0 || !withValuesOnly)
            {
                double rank = total == 0 ? 0 : (before + (count / 2.0)) / total * PercentileRank.Max;
                ulong target = total == 0 ? 0 : Math.Max(before + count - (count / 2), 1); // half of the bucket, rounded up
                yield return new Percentile(rank, target, before + count, BucketAt(i, count), selection);
            }

            before += count;
        }
    }
}
