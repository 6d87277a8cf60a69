using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Picollo.Diagnostics.Meters;

/// <summary>A hash of tags, and their exact comparison.</summary>
/// <remarks>
/// <para>The hash reads all characters that count, but not the keys. Sets of tags that differ in nothing but their keys have the same
/// hash, and the comparison keeps them apart; a look-up compares as many slots as there are such sets.</para>
/// <para>Only what runs no code of the application is compared by value: text, numbers, Boolean values and characters. Others are never in
/// a table, because <see cref="TagText"/> replaces them by their text.</para>
/// </remarks>
internal static class TagIdentity
{
    /// <summary>The characters of a key or a value that count. Longer text is cut, so that series need little memory whatever is
    /// measured.</summary>
    public const int MaxTextLength = 256;

    private const ulong Multiplier = 0x9E37_79B9_7F4A_7C15; // 2⁶⁴ divided by the golden ratio: spreads all bits to the upper ones
    private const int Turn = 11; // of 64: eight tags until bits of the first one meet it again
    private const ulong OfNull = 1;

    // Odd. Of this process, so that nobody outside can choose text with equal hashes.
    private static readonly ulong Seed = (ulong)Random.Shared.NextInt64() | 1;

    /// <summary>The hash of values in their order. Keys are left out: in an application, they hardly differ where the values are the
    /// same.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong HashOf(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        ulong hash = (ulong)tags.Length;
        foreach (ref readonly KeyValuePair<string, object?> tag in tags)
        {
            // The two types that nearly all tags have, by a comparison of the type each. No call is in this loop, so that all of it is in
            // registers: other types start again in a loop that has one.
            ulong bits;
            if (tag.Value is string text)
            {
                bits = BitsOf(text);
            }
            else if (tag.Value is int number)
            {
                bits = (uint)number;
            }
            else
            {
                return HashOfAny(tags);
            }

            hash = Mix(hash, bits);
        }

        return hash * Multiplier;
    }

    /// <summary>Whether two lists have the same keys and values in the same order.</summary>
    /// <param name="known">Tags in a table: text is not longer than <see cref="MaxTextLength"/>.</param>
    /// <param name="tags">The tags of a measurement, of any length.</param>
    /// <remarks>Not inlined, so that what the caller needs afterwards is not in the way of the registers of this loop.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static bool AreSame(KeyValuePair<string, object?>[] known, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (known.Length != tags.Length)
        {
            return false;
        }

        for (int i = 0; i < known.Length; i++)
        {
            // An application passes the same constants and often the same objects again, for which two comparisons of references do.
            if ((!ReferenceEquals(known[i].Key, tags[i].Key) && !IsSameText(known[i].Key, tags[i].Key))
                || (!ReferenceEquals(known[i].Value, tags[i].Value) && !IsSameValue(known[i].Value, tags[i].Value)))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Whether a value is compared by itself and not by its text.</summary>
    public static bool IsComparable(object? value) =>
        value is null or string or int or long or bool or double or float or byte or sbyte or short or ushort or uint or ulong or char;

    // A long value is cut before it is compared, so that neither this nor the hash depends on its length.
    private static bool IsSameText(string known, string? text) =>
        text is not null && text.AsSpan(0, Math.Min(text.Length, MaxTextLength)).SequenceEqual(known);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool IsSameValue(object? known, object? value) =>
        value is int number ? known is int its && its == number
        : value is string text ? known is string itsText && IsSameText(itsText, text)
        : IsSameRare(known, value);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsSameRare(object? known, object? value) =>
        known is not null && value is not null && known.GetType() == value.GetType() // of one type, so that the bits are comparable
        && IsComparable(value) && BitsOfAny(known) == BitsOfAny(value);

    // The multiplications of several values overlap; only the turn and the addition wait for the previous value.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Mix(ulong hash, ulong bits) => ulong.RotateLeft(hash, Turn) + (bits * Multiplier);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong HashOfAny(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        ulong hash = (ulong)tags.Length;
        foreach ((_, object? value) in tags)
        {
            hash = Mix(hash, BitsOfAny(value));
        }

        return hash * Multiplier;
    }

    /// <summary>Mixes the length and all characters that count.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong BitsOf(string text)
    {
        // Four characters at a time, and the last four, which may overlap with those before. These eight bytes end with a character and lie
        // within the object also for a text of fewer than four characters: the length (and above it the type) is before the first
        // character. They are then the same for all texts of the same length, so no test for short text is needed. A collection changes
        // neither while this runs, except for marks in the lowest bits of the type, which the eight bytes do not reach: they begin at the
        // fourth byte of a 64-bit object.
        nint end = (Math.Min(text.Length, MaxTextLength) * sizeof(char)) - sizeof(ulong);
        ref byte characters = ref Unsafe.As<char, byte>(ref MemoryMarshal.GetReference(text.AsSpan()));
        ulong bits = Unsafe.ReadUnaligned<ulong>(ref Unsafe.AddByteOffset(ref characters, end)) + ((ulong)end << 56);

        // Another odd factor for each position: the multiplications do not wait for each other, as they would in a chain.
        ulong factor = Seed;
        for (nint at = 0; at < end; at += sizeof(ulong))
        {
            factor += Multiplier - 1;
            bits += Unsafe.ReadUnaligned<ulong>(ref Unsafe.AddByteOffset(ref characters, at)) * factor;
        }

        return bits;
    }

    /// <summary>The bits of a value of a comparable type; 0 for others, which are not in tables.</summary>
    private static ulong BitsOfAny(object? value) => value switch
    {
        null => OfNull,
        string text => BitsOf(text),
        int number => (uint)number,
        bool flag => flag ? 3UL : 2UL,
        long number => (ulong)number,
        ulong number => number,
        double number => BitConverter.DoubleToUInt64Bits(number),
        float number => BitConverter.SingleToUInt32Bits(number),
        uint number => number,
        short number => (ulong)number,
        ushort number => number,
        byte number => number,
        sbyte number => (ulong)number,
        char letter => letter,
        _ => 0,
    };
}
