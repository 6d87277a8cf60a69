namespace Picollo.Metrics;

/// <summary>How many bytes objects take on a 64-bit runtime.</summary>
internal static class Footprint
{
    private const int ObjectHeader = 16; // sync block and method table
    private const int ArrayHeader = ObjectHeader + 8; // and the length
    private const int PointerSize = 8;
    private const int DictionaryObject = 80;

    /// <summary>An object whose fields add up to <paramref name="fieldBytes"/>, references included.</summary>
    public static long OfObject(int fieldBytes) => Align(ObjectHeader + fieldBytes);

    /// <summary>An array, or nothing where there is none.</summary>
    public static long OfArray(Array? array, int elementSize) =>
        array is null ? 0 : Align(ArrayHeader + ((long)array.Length * elementSize));

    /// <summary>A dictionary with integer keys and 64-bit values, or nothing where there is none.</summary>
    public static long OfDictionary(Dictionary<int, ulong>? dictionary)
    {
        const int BucketBytes = sizeof(int);
        const int EntryBytes = 24; // hash, next, key, value
        return dictionary is null
            ? 0
            : DictionaryObject + (2 * ArrayHeader) + ((long)dictionary.Capacity * (BucketBytes + EntryBytes));
    }

    /// <summary>So many references in an object's fields.</summary>
    public static int References(int count) => count * PointerSize;

    private static long Align(long bytes) => (bytes + PointerSize - 1) & -PointerSize;
}
