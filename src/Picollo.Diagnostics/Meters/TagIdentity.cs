namespace Picollo.Diagnostics.Meters;

/// <summary>Hashes tags and compares them exactly.</summary>
/// <remarks>
/// <para>The hash covers all characters of values up to the limit, but not the keys. Sets of tags that differ only in their keys have the
/// same hash, and the comparison distinguishes them. A lookup compares as many slots as there are such sets.</para>
/// <para>Only values whose comparison runs no code of the application are compared by value: text, numbers, Boolean values and characters.
/// Other values are never in a table, because <see cref="TagText"/> replaces them by their text.</para>
/// </remarks>
internal static class TagIdentity
{
    /// <summary>The maximum number of characters of a key or a value. Longer text is truncated, so that series need little memory,
    /// regardless of what is measured.</summary>
    public const int MaxTextLength = 256;

    private const ulong Multiplier = 0x9E37_79B9_7F4A_7C15; // 2⁶⁴ divided by the golden ratio, which spreads all bits to the upper ones
    private const int RotationBits = 11; // in bits; after eight tags, bits of the first one return to their position
    private const ulong NullBits = 1;

    // The seed is odd, and random for each process, so that text with equal hashes cannot be chosen from outside.
    private static readonly ulong Seed = (ulong)Random.Shared.NextInt64() | 1;

    /// <summary>Returns the hash of values in their order. Keys are not hashed, because in an application they rarely differ if the values
    /// are equal.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong HashOf(ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        ulong hash = (ulong)tags.Length;
        foreach (ref readonly KeyValuePair<string, object?> tag in tags)
        {
            // Nearly all tags have these two types, which are detected by comparing the type. The loop has no calls, so all variables are
            // in registers. Other types start again in a loop with calls.
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

    /// <summary>Returns whether two lists have the same keys and values in order. Only known tags have text of limited length.</summary>
    /// <remarks>Not inlined, so that variables of the caller do not take registers from this loop.</remarks>
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static bool AreEqual(KeyValuePair<string, object?>[] known, ReadOnlySpan<KeyValuePair<string, object?>> tags)
    {
        if (known.Length != tags.Length)
        {
            return false;
        }

        for (int i = 0; i < known.Length; i++)
        {
            // An application passes the same constants and often the same objects again, so comparing references is usually sufficient.
            if ((!ReferenceEquals(known[i].Key, tags[i].Key) && !IsSameText(known[i].Key, tags[i].Key))
                || (!ReferenceEquals(known[i].Value, tags[i].Value) && !IsSameValue(known[i].Value, tags[i].Value)))
            {
                return false;
            }
        }

        return true;
    }

    /// <summary>Returns <see langword="true"/> if a value is compared directly and not by its text.</summary>
    public static bool IsComparable(object? value) =>
        value is null or string or int or long or bool or double or float or byte or sbyte or short or ushort or uint or ulong or char;

    // A long value is truncated before the comparison, so that the time of the comparison and of the hash is limited.
    private static bool IsSameText(string known, string? text) =>
        text is not null && text.AsSpan(0, Math.Min(text.Length, MaxTextLength)).SequenceEqual(known);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool IsSameValue(object? known, object? value) =>
        value is int number ? known is int knownNumber && knownNumber == number
        : value is string text ? known is string knownText && IsSameText(knownText, text)
        : IsSameOtherType(known, value);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static bool IsSameOtherType(object? known, object? value) =>
        known is not null && value is not null && known.GetType() == value.GetType() // the bits are comparable only within a type
        && IsComparable(value) && BitsOfAny(known) == BitsOfAny(value);

    // The multiplications of several values overlap. Only the rotation and the addition depend on the previous value.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Mix(ulong hash, ulong bits) => ulong.RotateLeft(hash, RotationBits) + (bits * Multiplier);

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

    /// <summary>Mixes the length and all characters up to the limit.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong BitsOf(string text)
    {
        // Reads four characters at a time, and then the last four, which can overlap the previous ones. For a text of fewer than four
        // characters, these eight bytes still end with a character and are inside the object, because the length (preceded by the type)
        // precedes the first character. The additional bytes are equal for all texts of the same length, so short text needs no test. A
        // collection changes neither during this method, except for marks in the lowest bits of the type, which the eight bytes exclude:
        // they start at the fourth byte of a 64-bit object.
        nint end = (Math.Min(text.Length, MaxTextLength) * sizeof(char)) - sizeof(ulong);
        ref byte characters = ref Unsafe.As<char, byte>(ref MemoryMarshal.GetReference(text.AsSpan()));
        ulong factor = Seed;
        ulong bits = (Unsafe.ReadUnaligned<ulong>(ref Unsafe.AddByteOffset(ref characters, end)) * factor) + ((ulong)end << 56);

        // Each position has a different odd factor, so that the multiplications do not depend on each other as in a chain. Their lowest 16
        // bits differ, too, so two texts of the same length that differ only in one character have different bits, whatever the seed.
        for (nint offset = 0; offset < end; offset += sizeof(ulong))
        {
            factor += Multiplier - 1;
            bits += Unsafe.ReadUnaligned<ulong>(ref Unsafe.AddByteOffset(ref characters, offset)) * factor;
        }

        return bits;
    }

    /// <summary>Returns the bits of a value of a comparable type; 0 for other types, which are not in tables.</summary>
    private static ulong BitsOfAny(object? value) => value switch
    {
        null => NullBits,
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
