using System.Runtime.CompilerServices;

namespace Picollo.Metrics;

/// <summary>The bytes that arrays take on a 64-bit runtime; what makes a histogram large.</summary>
internal static class Footprint
{
    private const int ArrayHeader = 24; // sync block, method table and length

    /// <summary>An array, or 0 where there is none.</summary>
    public static long OfArray<T>(T[]? array) => array is null ? 0 : ArrayHeader + ((long)array.Length * Unsafe.SizeOf<T>());

    /// <summary>The two arrays of a dictionary, or 0 where there is none.</summary>
    public static long OfDictionary(Dictionary<int, ulong>? dictionary)
    {
        const int BucketBytes = sizeof(int);
        const int EntryBytes = 24; // hash, next, key, value
        return dictionary is null ? 0 : (2 * ArrayHeader) + ((long)dictionary.Capacity * (BucketBytes + EntryBytes));
    }
}
