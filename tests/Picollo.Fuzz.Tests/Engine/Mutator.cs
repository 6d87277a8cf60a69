using System.Buffers.Binary;
using System.Globalization;
using System.Text;

namespace Picollo.Fuzz.Tests;

/// <summary>Creates damaged inputs from real ones. The same random numbers create the same input from the same seeds.</summary>
internal sealed class Mutator
{
    private const int MostMutations = 6;
    private const int MostTokens = 1000;
    private const int LongestToken = 24;
    private const int ReadForTokens = 1 << 16;

    private static readonly string[] Numbers =
    [
        "0", "1", "-1", "00", "2147483647", "2147483648", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "-9223372036854775808", "99999999999999999999999999", "1e308", "1e309", "-1e308", "1e-320", "0.1", ".5", "1.", "NaN",
        "Infinity", "0x", "0xffffffffffffffff", "ffffffffffffffff", "ffffffffffffffffff", "1_000", "+1", "",
    ];

    private static readonly string[] Pieces =
    [
        "\n", "\r\n", "\0", "\t", " ", ",", ";", ":", "=", "/", "-", "--", "[", "]", "(", ")", "{", "}", "\"", "'", "\\", "#", "<", ">", "\e[2J", "é",
        "\u202e", "\ufeff", "😀", "\u0663", "_",
    ];

    private readonly IReadOnlyList<FuzzSeed> _seeds;
    private readonly List<FuzzSeed> _pool;
    private readonly byte[][] _tokens;
    private readonly int _longest;

    /// <param name="seeds">The real inputs.</param>
    /// <param name="longest">The maximum length of an input.</param>
    public Mutator(IReadOnlyList<FuzzSeed> seeds, int longest)
    {
        _seeds = seeds;
        _pool = [.. seeds];
        _longest = longest;
        _tokens = [.. seeds.SelectMany(TokensOf).Distinct().Take(MostTokens).Concat(Numbers).Concat(Pieces).Select(Encoding.UTF8.GetBytes)];
    }

    /// <summary>Adds an input from which others are created.</summary>
    public void Add(FuzzSeed input) => _pool.Add(input);

    /// <summary>Creates an input. One of ten is an unchanged seed.</summary>
    public FuzzSeed Next(Random random)
    {
        FuzzSeed seed = Any(random.Next(2) == 0 ? _seeds : _pool, random); // most of the pool is damaged
        byte[] bytes = seed.Bytes;
        int mutations = random.Next(10) == 0 ? 0 : 1 + random.Next(1 + random.Next(MostMutations));
        for (int i = 0; i < mutations; i++)
        {
            bytes = Mutate(bytes, seed.Parts, random);
            bytes = bytes.Length > _longest ? bytes[.._longest] : bytes;
        }

        return seed with { Bytes = bytes };
    }

    private byte[] Mutate(byte[] bytes, (int Start, int Length)[] parts, Random random)
    {
        (int start, int length) = parts.Length > 0 && random.Next(2) == 0 ? Any(parts, random) : (0, bytes.Length);
        int at = Math.Min(start + random.Next(length + 1), bytes.Length);
        int end = Math.Min(at + (random.Next(4) == 0 ? random.Next(bytes.Length + 1) : random.Next(1, 16)), bytes.Length);
        switch (random.Next(12))
        {
            case 0:
                return Overwrite(bytes, at, [(byte)(at < bytes.Length ? bytes[at] ^ (1 << random.Next(8)) : 0)]);
            case 1:
                return Overwrite(bytes, at, [(byte)random.Next(256)]);
            case 2:
                byte[] block = new byte[end - at];
                Array.Fill(block, Any<byte>([0, 0xFF, (byte)'0', (byte)'9', (byte)' '], random));
                return Overwrite(bytes, at, block);
            case 3 or 4:
                return Overwrite(bytes, at, Integer(bytes.Length, random));
            case 5:
                return random.Next(3) == 0 ? bytes[..at] : [.. bytes[..at], .. bytes[end..]];
            case 6:
                byte[] any = new byte[random.Next(1, 9)];
                random.NextBytes(any);
                return [.. bytes[..at], .. any, .. bytes[at..]];
            case 7:
                // Repeats a part of this input once or many times.
                IEnumerable<byte> repeated = Enumerable.Repeat(bytes[at..end], random.Next(3) == 0 ? random.Next(1, 1000) : 1).SelectMany(part => part);
                return [.. bytes[..at], .. repeated.Take(_longest), .. bytes[at..]];
            case 8:
                // The start of this input, followed by the end of another, or a part of it.
                byte[] other = Any(_pool, random).Bytes;
                int from = random.Next(other.Length + 1);
                int to = random.Next(from, other.Length + 1);
                return random.Next(2) == 0 ? [.. bytes[..at], .. other[from..]] : [.. bytes[..at], .. other[from..to], .. bytes[end..]];
            case 9:
                return [.. bytes[..at], .. Any(_tokens, random), .. bytes[at..]];
            default:
                // Usually replaces a number by another one.
                (int tokenStart, int tokenEnd) = TokenAt(bytes, at);
                byte[] token = long.TryParse(bytes.AsSpan(tokenStart..tokenEnd), NumberStyles.None, CultureInfo.InvariantCulture, out long number) && random.Next(4) > 0
                    ? Encoding.UTF8.GetBytes(Any([Any(Numbers, random), $"{number / 2}", $"{number / 1000}", $"{number - 1}", $"{unchecked(number + 1)}", $"{number}{number}"], random))
                    : Any(_tokens, random);
                return [.. bytes[..tokenStart], .. token, .. bytes[tokenEnd..]];
        }
    }

    private static byte[] Overwrite(byte[] bytes, int at, byte[] with)
    {
        byte[] result = [.. bytes];
        with.AsSpan(0, Math.Min(with.Length, bytes.Length - at)).CopyTo(result.AsSpan(at));
        return result;
    }

    /// <summary>Returns a number at a limit, or near the length of the input, in 1 to 8 bytes of either byte order.</summary>
    private static byte[] Integer(int length, Random random)
    {
        long value = Any<long>([0, 1, -1, 16, 127, 128, 255, 256, short.MaxValue, 65_535, int.MaxValue, uint.MaxValue, long.MaxValue, length, random.Next()], random)
            + random.Next(-2, 3);
        value = random.Next(4) == 0 ? 1L << random.Next(64) : value;
        byte[] bytes = new byte[sizeof(long)];
        int size = 1 << random.Next(4);
        if (random.Next(2) == 0)
        {
            BinaryPrimitives.WriteInt64LittleEndian(bytes, value);
            return bytes[..size];
        }

        BinaryPrimitives.WriteInt64BigEndian(bytes, value);
        return bytes[^size..];
    }

    private static (int Start, int End) TokenAt(byte[] bytes, int at)
    {
        int start = at, end = at;
        while (start > 0 && at - start < LongestToken && IsOfToken(bytes[start - 1]))
        {
            start--;
        }

        while (end < bytes.Length && end - at < LongestToken && IsOfToken(bytes[end]))
        {
            end++;
        }

        return (start, end);
    }

    /// <summary>Returns the words of a text input.</summary>
    private static IEnumerable<string> TokensOf(FuzzSeed seed)
    {
        string text = Encoding.Latin1.GetString(seed.Bytes.AsSpan(0, Math.Min(seed.Bytes.Length, ReadForTokens)));
        string[] words = text.Split([.. text.Where(letter => !IsOfToken((byte)letter)).Distinct()], StringSplitOptions.RemoveEmptyEntries);
        return words.Where(word => word.Length is > 1 and <= LongestToken && !long.TryParse(word, CultureInfo.InvariantCulture, out _));
    }

    private static bool IsOfToken(byte letter) => char.IsAsciiLetterOrDigit((char)letter) || letter is (byte)'_' or (byte)'.';

    private static T Any<T>(IReadOnlyList<T> all, Random random) => all[random.Next(all.Count)];
}
