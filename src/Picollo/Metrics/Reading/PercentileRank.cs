using System.Globalization;

namespace Picollo.Metrics;

/// <summary>Converts a percentile rank to a count: the smallest integer that is at least rank × total / 100, exact for the decimal number
/// of the rank.</summary>
/// <remarks>Uses integer arithmetic. In <see cref="double"/>, 7 / 100 × 100 is above 7, and products above 2⁵³ are rounded.</remarks>
internal static class PercentileRank
{
    public const double Max = 100;

    /// <summary>The resolution of the fast path: most ranks have at most six decimals.</summary>
    private const double StepsPerPercent = 1e6;

    private const ulong AllSteps = (ulong)(Max * StepsPerPercent);

    /// <summary>Returns the count of a rank from 0 to 100. It is at least 1, or 0 if the total is 0.</summary>
    public static ulong ToCount(double rank, ulong total)
    {
        double steps = Math.Round(rank * StepsPerPercent);

        // Decimal numbers of up to 15 digits are distinct doubles, so if the quotient equals the rank, it is the decimal number of the
        // caller.
        if (steps / StepsPerPercent != rank)
        {
            return (ulong)UInt128.Clamp(ToCountOfShortest(rank, total), Math.Min(total, 1), total);
        }

        // A 64-bit division by a constant takes a nanosecond; a 128-bit division takes tens of nanoseconds.
        ulong count = Math.BigMul((ulong)steps, total, out ulong product) == 0
            ? (product / AllSteps) + (product % AllSteps == 0 ? 0UL : 1)
            : (ulong)Divide((ulong)steps, total, AllSteps);
        return Math.Clamp(count, Math.Min(total, 1), total);
    }

    /// <summary>Returns whether at least one value is above a rank: count × (1 − rank/100) ≥ 1. Otherwise, the percentile is equal to the
    /// maximum.</summary>
    public static bool IsBelowMaximum(double rank, ulong total) => rank == 0 ? total > 0 : ToCount(rank, total) < total;

    /// <summary>Returns the largest rank that corresponds to at most a count: the inverse of <see cref="ToCount"/>.</summary>
    /// <param name="count">The count, from 0 to <paramref name="total"/>.</param>
    /// <param name="total">The count of all values.</param>
    /// <returns>The rank, from 0 to 100; 0 for a count of 0.</returns>
    public static double Of(ulong count, ulong total)
    {
        if (count == 0)
        {
            return 0;
        }

        // This is at most three roundings away from the rank, and never above 100.
        double rank = Math.Min(count * Max / total, Max);
        while (ToCount(rank, total) > count)
        {
            rank = Math.BitDecrement(rank);
        }

        while (rank < Max && ToCount(Math.BitIncrement(rank), total) <= count)
        {
            rank = Math.BitIncrement(rank);
        }

        return rank;
    }

    /// <summary>Returns factor × total / divisor, rounded up.</summary>
    private static UInt128 Divide(ulong factor, ulong total, UInt128 divisor)
    {
        ulong high = Math.BigMul(factor, total, out ulong low);
        (UInt128 quotient, UInt128 rest) = UInt128.DivRem(new UInt128(high, low), divisor);
        return quotient + (rest == 0 ? UInt128.Zero : UInt128.One);
    }

    /// <summary>Works like <see cref="ToCount"/>, for the shortest decimal number that parses to the rank.</summary>
    private static UInt128 ToCountOfShortest(double rank, ulong total)
    {
        Span<byte> text = stackalloc byte[32]; // d.ddddddddddddddddE-ddd at the longest
        _ = rank.TryFormat(text, out int length, provider: CultureInfo.InvariantCulture);
        ReadOnlySpan<byte> number = text[..length];
        int end = number.IndexOf((byte)'E');
        int decimals = end < 0 ? 0 : -int.Parse(number[(end + 1)..], CultureInfo.InvariantCulture);
        ReadOnlySpan<byte> digits = end < 0 ? number : number[..end];
        int point = digits.IndexOf((byte)'.');
        decimals += point < 0 ? 0 : digits.Length - point - 1;
        ulong factor = 0;
        foreach (byte digit in digits)
        {
            factor = digit == '.' ? factor : (factor * 10) + digit - '0';
        }

        // 17 digits times a total are below 2¹²¹ and therefore below 10³⁷. Ranks up to 100 have at most three digits before the point.
        UInt128 divisor = 100;
        for (int i = 0; i < Math.Min(decimals, 35); i++)
        {
            divisor *= 10;
        }

        return Divide(factor, total, divisor);
    }
}
