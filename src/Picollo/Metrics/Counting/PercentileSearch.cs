using System.Numerics;
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

    /// <summary>Finds the counter of a rank from 0 to 100. Ascending order of ranks is fastest.</summary>
    /// <returns><see langword="false"/> if the counters have changed.</returns>
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
    public static ulong SumChunks(CounterRange source, ReadOnlySpan<ulong> counts, Span<ulong> chunkSums)
    {
        ulong total = 0;
        int from = 0;
        for (int chunk = 0; chunk < chunkSums.Length; chunk++)
        {
            int to = Math.Clamp(((chunk + 1) << ChunkScale) - ChunkOffset(source), 0, counts.Length);
            chunkSums[chunk] = CounterMath.Sum(counts[from..to]);
            total += chunkSums[chunk];
            from = to;
        }

        return total;
    }

    private static int Alignment(CounterRange source) => Math.Max(PieceSize(source), ChunkSize);
}
