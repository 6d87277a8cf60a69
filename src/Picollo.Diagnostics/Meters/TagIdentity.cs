using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Picollo.Diagnostics.Meters;

/// <summary>A cheap hash of tags, and their exact comparison.</summary>
/// <remarks>
/// <para>The hash takes the same time for any text: it reads the length and eight characters. Texts that differ elsewhere only have the same
/// hash, and the comparison keeps them apart; at worst a look-up compares as many slots as a table has.</para>
/// <para>Only what runs no code of the application is compared by value: text, numbers, Boolean values and characters. Others are never in a
/// table, because <see cref="TagText"/> replaces them by their text.</para>
/// </remarks>
internal static class TagIdentity
{
    /// <summary>The characters of a key or a value that count. Longer text is cut, so that series need little memory whatever is
    /// measured.</summary>
    public const int MaxTextLength = 256;

    private const ulong Multiplier = 0x9E37_79B9_7F4A_7C15; // 2⁶⁴ divided by the golden ratio: spreads all bits to the upper ones
    private const int Turn = 11; // of 64: eight tags until bits of the first one meet it again
    private const ulong OfNull = 1;

    /// <summary>The hash of values in their order. Keys are left out: in an application, they hardly differ where the values are the
    /// same.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong HashOf(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        ulong hash = (ulong)tags.Length;
        foreach (ref readonly KeyValuePair<string, object?> tag in tags)
        {
            object? value = tag.Value;

            // The two types that nearly all tags have are tested inline, by one comparison of the type each.
            ulong bits = value is string text ? HashOf(text)
                : value is int number ? (uint)number
                : HashOfRare(value);

            // The multiplications of several values overlap; only the turn and the addition wait for the previous value.
            hash = ulong.RotateLeft(hash, Turn) + (bits * Multiplier);
        }

        return hash * Multiplier;
    }

    /// <summary>Whether two lists have the same keys and values in the same order.</summary>
    /// <param name="known">Tags in a table: text is not longer than <see cref="MaxTextLength"/>.</param>
    /// <param name="tags">The tags of a measurement, of any length.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static bool AreSame(KeyValuePair<string, object?>[] known, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (known.Length != tags.Length)
        {
            return false;
        }

        for (int i = 0; i < known.Length; i++)
        {
            // An application passes the same constants and often the same objects again, for which two comparisons of references do.
            ref KeyValuePair<string, object?> its = ref known[i];
            ref readonly KeyValuePair<string, object?> tag = ref tags[i];
            if ((!ReferenceEquals(its.Key, tag.Key) && !IsSameText(its.Key, tag.Key))
                || (!ReferenceEquals(its.Value, tag.Value) && !IsSameValue(its.Value, tag.Value)))
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

    private static bool IsSameValue(object? known, object? value)
    {
        if (known is null || value is null || known.GetType() != value.GetType())
        {
            return false;
        }

        return value is string text ? IsSameText(Unsafe.As<string>(known), text)
            : value is int number ? Unsafe.Unbox<int>(known) == number
            : IsComparable(value) && HashOfRare(known) == HashOfRare(value); // the bits of both, which are of one type
    }

    /// <summary>Mixes the length, the four characters before the middle and the last four.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong HashOf(string text)
    {
        // Eight bytes that end with a character lie within the object for every position from 0, also of a text of fewer than four
        // characters: the length (and above it the type) is before the first character. These bytes are the same for all texts of the
        // same length, so they do no harm, and no test for short text is needed. A collection changes neither while this runs, except for
        // marks in the lowest bits of the type, which the eight bytes do not reach: they begin at the fourth byte of a 64-bit object.
        int length = Math.Min(text.Length, MaxTextLength);
        ref byte characters = ref Unsafe.As<char, byte>(ref MemoryMarshal.GetReference(text.AsSpan()));
        ulong last = Unsafe.ReadUnaligned<ulong>(ref Unsafe.AddByteOffset(ref characters, (length * sizeof(char)) - sizeof(ulong)));
        ulong middle = Unsafe.ReadUnaligned<ulong>(ref Unsafe.AddByteOffset(ref characters, (length & ~1) - sizeof(ulong)));
        return last + ulong.RotateLeft(middle, 29) + (uint)length;
    }

    /// <summary>The bits of a value of another comparable type; any number for values that are not in tables.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong HashOfRare(object? value) => value switch
    {
        null => OfNull,
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
        int number => (uint)number,
        _ => 0,
    };
}
