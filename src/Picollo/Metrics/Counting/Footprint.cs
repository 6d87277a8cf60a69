namespace Picollo.Metrics;

/// <summary>Computes the size of arrays on a 64-bit runtime. They are most of the memory of a histogram.</summary>
internal static class Footprint
{
    private const int ArrayHeader = 24; // sync block, method table and length

    /// <summary>Returns the bytes of an array; 0 for null.</summary>
    public static long OfArray<T>(T[]? array) => array is null ? 0 : ArrayHeader + ((long)array.Length * Unsafe.SizeOf<T>());

    /// <summary>Returns the bytes of the array of a list; 0 for null.</summary>
    public static long OfList<T>(List<T>? list) => list is null ? 0 : ArrayHeader + ((long)list.Capacity * Unsafe.SizeOf<T>());
}
