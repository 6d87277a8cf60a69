namespace Picollo.Cli.Hist;

internal enum NumberKind
{
    Whole,
    Fraction,
    NotANumber,
    Negative,
    TooLarge,
}

/// <summary>Parses a number: digits, optionally with a sign, a decimal point, an exponent of ten, and surrounding white space.</summary>
internal static class NumberText
{
    /// <summary>The smallest number that is too large.</summary>
    public const double Limit = 18_446_744_073_709_551_616d;

    private const int MaxDigits = 19; // 10¹⁹ − 1 fits in 64 bits
    private const ulong MaxExactInteger = 1UL << 53; // a double represents all whole numbers up to here exactly

    // The powers of ten that a double represents exactly.
    private static readonly double[] Powers =
        [.. Enumerable.Range(0, 23).Select(i => double.Parse($"1e{i}", CultureInfo.InvariantCulture))];

    /// <param name="whole">The number, if it is whole.</param>
    /// <param name="fraction">The nearest double, if the number is not whole.</param>
    public static NumberKind Parse(ReadOnlySpan<byte> text, out ulong whole, out double fraction)
    {
        whole = 0;
        fraction = 0;
        text = text.Trim(" \t\r"u8);
        bool isNegative = text.StartsWith("-"u8);
        if (isNegative || text.StartsWith("+"u8))
        {
            text = text[1..];
        }

        int wholeLength = LengthOfDigits(text);
        ReadOnlySpan<byte> rest = text[wholeLength..];
        ReadOnlySpan<byte> decimals = default;
        if (rest.StartsWith("."u8))
        {
            decimals = rest[1..][..LengthOfDigits(rest[1..])];
            rest = rest[(decimals.Length + 1)..];
        }

        if (wholeLength + decimals.Length == 0 || !(rest.IsEmpty || IsExponent(rest)))
        {
            return NumberKind.NotANumber;
        }

        NumberKind kind = rest.IsEmpty
            ? ParseDigits(text, text[..wholeLength].TrimStart((byte)'0'), decimals.TrimEnd((byte)'0'), out whole, out fraction)
            : ParseDouble(text, out whole, out fraction);
        return isNegative && (kind != NumberKind.Whole || whole != 0) ? NumberKind.Negative : kind;
    }

    private static NumberKind ParseDigits(
        ReadOnlySpan<byte> text, ReadOnlySpan<byte> digits, ReadOnlySpan<byte> decimals, out ulong whole, out double fraction)
    {
        whole = 0;
        fraction = 0;
        if (digits.Length + decimals.Length > MaxDigits)
        {
            return !decimals.IsEmpty ? ParseDouble(text, out whole, out fraction)
                : ulong.TryParse(digits, NumberStyles.None, CultureInfo.InvariantCulture, out whole) ? NumberKind.Whole
                : NumberKind.TooLarge;
        }

        foreach (byte digit in digits)
        {
            whole = (whole * 10) + (uint)(digit - '0');
        }

        foreach (byte digit in decimals)
        {
            whole = (whole * 10) + (uint)(digit - '0');
        }

        if (decimals.IsEmpty)
        {
            return NumberKind.Whole;
        }

        if (whole > MaxExactInteger)
        {
            return ParseDouble(text, out whole, out fraction);
        }

        fraction = whole / Powers[decimals.Length]; // both operands are exact, so the quotient is the nearest double
        whole = 0;
        return NumberKind.Fraction;
    }

    private static NumberKind ParseDouble(ReadOnlySpan<byte> text, out ulong whole, out double fraction)
    {
        whole = 0;
        fraction = double.Parse(text, NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent, CultureInfo.InvariantCulture);
        if (fraction >= Limit)
        {
            return NumberKind.TooLarge;
        }

        if (fraction != Math.Floor(fraction))
        {
            return NumberKind.Fraction;
        }

        whole = (ulong)fraction;
        return NumberKind.Whole;
    }

    private static int LengthOfDigits(ReadOnlySpan<byte> text)
    {
        int length = text.IndexOfAnyExceptInRange((byte)'0', (byte)'9');
        return length < 0 ? text.Length : length;
    }

    private static bool IsExponent(ReadOnlySpan<byte> text)
    {
        ReadOnlySpan<byte> digits = text[1..];
        digits = digits.StartsWith("+"u8) || digits.StartsWith("-"u8) ? digits[1..] : digits;
        return (text[0] | 0x20) == 'e' && !digits.IsEmpty && LengthOfDigits(digits) == digits.Length;
    }
}
