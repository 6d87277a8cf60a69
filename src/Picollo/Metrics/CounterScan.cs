using System.Diagnostics;
using System.Numerics;

namespace Picollo.Metrics;

/// <summary>
/// What one pass over a histogram's counters finds: the total, the moments, and sums by chunk, with which any percentile is
/// a short walk away.
/// </summary>
internal static class CounterScan
{
    private const int ChunkScale = 6;

    /// <summary>Counters in a chunk: the walk to a percentile is one step a chunk and one a counter within.</summary>
    public const int ChunkSize = 1 << ChunkScale;

    public static int ChunkCount(int length) => (length + ChunkSize - 1) >> ChunkScale;

    /// <summary>Fills <paramref name="chunkSums"/> and returns the total.</summary>
    public static ulong SumChunks(ReadOnlySpan<ulong> counts, Span<ulong> chunkSums)
    {
        ulong total = 0;
        for (int chunk = 0; chunk < ChunkCount(counts.Length); chunk++)
        {
            int start = chunk << ChunkScale;
            ulong sum = CounterMath.Sum(counts.Slice(start, Math.Min(ChunkSize, counts.Length - start)));
            chunkSums[chunk] = sum;
            total += sum;
        }

        return total;
    }

    /// <summary>
    /// The first counter at which the cumulative count reaches <paramref name="target"/>.
    /// </summary>
    public static int Find(ReadOnlySpan<ulong> counts, ReadOnlySpan<ulong> chunkSums, ulong target)
    {
        Debug.Assert(target > 0, "a target of 0 is reached before the first counter");
        int chunk = 0;
        while (target > chunkSums[chunk])
        {
            target -= chunkSums[chunk++];
        }

        int index = chunk << ChunkScale;
        while (target > counts[index])
        {
            target -= counts[index++];
        }

        return index;
    }
}
