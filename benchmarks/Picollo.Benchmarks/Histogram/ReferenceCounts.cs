namespace Picollo.Benchmarks.Histogram;

/// <summary>The slow and obvious way to count into the buckets of an HDR histogram, which the contenders must agree with.</summary>
internal static class ReferenceCounts
{
    /// <summary>The bucket of a value: halve it until it is below two blocks; each halving is one block further.</summary>
    public static int IndexOf(ulong value, int blockSize)
    {
        int block = 0;
        while (value >= 2 * (ulong)blockSize)
        {
            value >>= 1;
            block++;
        }

        return (block * blockSize) + (int)value;
    }

    /// <summary>The bucket of each value.</summary>
    public static uint[] Indexes(ReadOnlySpan<ulong> values, int blockSize)
    {
        uint[] indexes = new uint[values.Length];
        for (int i = 0; i < values.Length; i++)
        {
            indexes[i] = (uint)IndexOf(values[i], blockSize);
        }

        return indexes;
    }

    /// <summary>How often each bucket occurs.</summary>
    public static ulong[] Of(ReadOnlySpan<ulong> values, int blockSize, int length)
    {
        ulong[] counts = new ulong[length];
        foreach (uint index in Indexes(values, blockSize))
        {
            counts[index]++;
        }

        return counts;
    }
}
