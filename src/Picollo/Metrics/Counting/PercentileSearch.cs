using System.Runtime.Intrinsics;

namespace Picollo.Metrics;

/// <summary>Finds percentiles with precomputed sums of chunks of counters: it skips whole chunks, then counts within one chunk.</summary>
/// <remarks>The counters may be written concurrently: the search reads a chunk again and fails if its sum differs from the precomputed one.
/// Counters only grow, so an equal sum means equal counters, and all results are consistent with each other.</remarks>
internal ref struct PercentileSearch<TCounter>(
    CounterRange source, CounterView<TCounter> counters, ReadOnlySpan<ulong> chunkSums, Span<ulong> chunk, ulong total)
    where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
{
    private const int GroupSize = 16; // the number of counters of a chunk that are skipped at once

    private readonly CounterRange _source = source;
    private readonly CounterView<TCounter> _counters = counters;
    private readonly ReadOnlySpan<ulong> _chunkSums = chunkSums;
    private readonly Span<ulong> _chunk = chunk[..PercentileSearch.ChunkSize]; // the counters of the current chunk
    private readonly ulong _total = total;
    private int _current; // the chunk in which the last percentile was found
    private int _loaded = -1; // the chunk that _chunk holds
    private ulong _before; // the count before the current chunk

    /// <summary>Finds the counter of a rank from 0 to 100; false if counters have changed. Ascending order of ranks is fastest.</summary>
    public bool TryFind(double rank, out CounterAtRank found)
    {
        found = default;
        if (_total == 0)
        {
            return true;
        }

        ulong target = PercentileRank.ToCount(rank, _total);
        if (target <= _before)
        {
            (_current, _before) = (0, 0);
        }

        ulong rest = target - _before;
        while (rest > _chunkSums[_current])
        {
            rest -= _chunkSums[_current++];
        }

        _before = target - rest;
        if (!TryLoad(_current))
        {
            return false;
        }

        int place = 0;
        for (ulong sum; rest > (sum = SumOfGroup(place)); place += GroupSize)
        {
            rest -= sum;
        }

        while (rest > _chunk[place])
        {
            rest -= _chunk[place++];
        }

        int index = (_current << PercentileSearch.ChunkScale) + place - PercentileSearch.ChunkOffset(_source);
        found = new CounterAtRank(target, target - rest + _chunk[place], _chunk[place], index);
        return true;
    }

    private readonly ulong SumOfGroup(int place)
    {
        ReadOnlySpan<ulong> group = _chunk.Slice(place, GroupSize);
        return Vector512.Sum(Vector512.Create(group) + Vector512.Create(group[Vector512<ulong>.Count..]));
    }

    private bool TryLoad(int chunk)
    {
        if (chunk == _loaded)
        {
            return true;
        }

        int start = (chunk << PercentileSearch.ChunkScale) - PercentileSearch.ChunkOffset(_source);
        int from = Math.Max(start, 0);
        int to = Math.Min(start + PercentileSearch.ChunkSize, _counters.Length);
        _chunk[..(from - start)].Clear();
        _chunk[(to - start)..].Clear();
        _loaded = chunk;
        return _counters.CopyAndSum(from, to, _chunk[(from - start)..]) == _chunkSums[chunk];
    }
}

/// <summary>The counter of a rank: the count that the rank corresponds to (0 in an empty histogram), the count up to the end of the
/// counter, the counter's own count, and its index in the storage.</summary>
internal readonly record struct CounterAtRank(ulong TargetCount, ulong RunningCount, ulong Count, int StorageIndex);

/// <summary>The storage-independent parts of the search.</summary>
internal static class PercentileSearch
{
    public const int ChunkScale = 7;
    public const int ChunkSize = 1 << ChunkScale;
    public const int MaxPieceSize = 512;

    /// <summary>Returns the number of counters that a scan processes at once, all of one bucket width: a block, or less if the weights of
    /// the scan require it. Chunks are aligned with these pieces, as if the range extended to their ends.</summary>
    public static int PieceSize(CounterRange source) => Math.Min(source.Layout.BlockSize, MaxPieceSize);

    public static int ChunkCount(CounterRange source)
    {
        int alignment = Alignment(source);
        return ((ChunkOffset(source) + source.Length + alignment - 1) & -alignment) >> ChunkScale;
    }

    /// <summary>Returns the position of the first counter, relative to the start of the first chunk.</summary>
    public static int ChunkOffset(CounterRange source) => (int)(source.FirstIndex & (uint)(Alignment(source) - 1));

    /// <summary>Sums each chunk of a histogram's counters and returns the total.</summary>
    public static ulong SumChunks<TCounter>(CounterRange source, CounterView<TCounter> counters, Span<ulong> chunkSums)
        where TCounter : unmanaged, IBinaryInteger<TCounter>, IUnsignedNumber<TCounter>
    {
        int offset = ChunkOffset(source);
        chunkSums.Clear();
        for (int from = 0, to; from < counters.Length; from = to)
        {
            to = counters.EndOfPage(from, counters.Length);
            ReadOnlySpan<TCounter> page = counters.Slice(from, to);
            for (int place = from + offset; !page.IsEmpty; place = (place | (ChunkSize - 1)) + 1)
            {
                int length = Math.Min(ChunkSize - (place & (ChunkSize - 1)), page.Length);
                chunkSums[place >> ChunkScale] += CounterMath.Sum(page[..length]);
                page = page[length..];
            }
        }

        foreach (Carry carry in counters.CarriesIn(0, counters.Length))
        {
            chunkSums[(carry.Number + offset) >> ChunkScale] += carry.Count;
        }

        return CounterMath.Sum<ulong>(chunkSums);
    }

    private static int Alignment(CounterRange source) => Math.Max(PieceSize(source), ChunkSize);
}

/// <summary>Converts a percentile rank to a count: the smallest integer that is at least rank × total / 100.</summary>
/// <remarks>A rank with up to six decimals is the decimal number that the caller wrote. Any other rank, such as 100.0 * k / n, may have
/// been rounded up, which would give the count k + 1. The next smaller <see cref="double"/> is used instead, as in HdrHistogram (Java). The
/// arithmetic is in integers: in <see cref="double"/>, 7 / 100 × 100 is above 7, and products above 2⁵³ are rounded.</remarks>
internal static class PercentileRank
{
    public const double Max = 100;

    private const double StepsPerPercent = 1e6;

    private const ulong AllSteps = (ulong)(Max * StepsPerPercent);

    private const int SignificandLength = 52;

    /// <summary>Returns the count of a rank from 0 to 100. It is at least 1, or 0 if the total is 0.</summary>
    public static ulong ToCount(double rank, ulong total)
    {
        // The decrement of a rank just above a decimal number is that number, so a larger rank never has a smaller count.
        if (!TryGetSteps(rank, out ulong steps) && !TryGetSteps(Math.BitDecrement(rank), out steps))
        {
            return ToCountOfBinary(Math.BitDecrement(rank), total);
        }

        // A 64-bit division by a constant takes a nanosecond; a 128-bit division takes tens of nanoseconds.
        ulong count = Math.BigMul(steps, total, out ulong product) == 0
            ? (product / AllSteps) + (product % AllSteps == 0 ? 0UL : 1)
            : Divide(steps, total, AllSteps);
        return Math.Clamp(count, Math.Min(total, 1), total);
    }

    /// <summary>Returns whether at least one value is above a rank: count × (1 − rank/100) ≥ 1. Otherwise, the percentile is equal to the
    /// maximum.</summary>
    public static bool IsBelowMaximum(double rank, ulong total) => rank == 0 ? total > 0 : ToCount(rank, total) < total;

    /// <summary>Returns the rank, from 0 to 100, of a count from 0 to <paramref name="total"/>; 0 for a count of 0. This is the inverse of
    /// <see cref="ToCount"/>: the count of the result is not larger.</summary>
    public static double FromCount(ulong count, ulong total)
    {
        if (count == 0 || count == total)
        {
            return count == 0 ? 0 : Max;
        }

        double rank = Math.Min(count * Max / total, Max);
        while (ToCount(rank, total) > count) // ends soon: the rank is at most three roundings away
        {
            rank = Math.BitDecrement(rank);
        }

        return rank;
    }

    /// <summary>Gets a rank with up to six decimals as an integer.</summary>
    private static bool TryGetSteps(double rank, out ulong steps)
    {
        // Decimal numbers of up to 15 digits are distinct doubles, so if the quotient equals the rank, it is the decimal number of the
        // caller.
        double rounded = Math.Round(rank * StepsPerPercent);
        steps = (ulong)rounded;
        return rounded / StepsPerPercent == rank;
    }

    /// <summary>Works like <see cref="ToCount"/>, for the exact value of a rank above 0.</summary>
    private static ulong ToCountOfBinary(double rank, ulong total)
    {
        // The rank is significand / 2^scale. The product is below 2¹¹⁷: for larger scales than 121, the count is also 1.
        ulong bits = BitConverter.DoubleToUInt64Bits(rank);
        ulong significand = (bits & ((1UL << SignificandLength) - 1)) | (1UL << SignificandLength);
        int scale = 1023 + SignificandLength - (int)(bits >> SignificandLength);
        return Divide(significand, total, (UInt128)Max << Math.Min(scale, 121));
    }

    /// <summary>Returns factor × total / divisor, rounded up.</summary>
    private static ulong Divide(ulong factor, ulong total, UInt128 divisor)
    {
        (UInt128 quotient, UInt128 rest) = UInt128.DivRem((UInt128)factor * total, divisor);
        return (ulong)quotient + (rest == 0 ? 0UL : 1);
    }
}
