using System.Globalization;

namespace Picollo.Metrics;

/// <summary>What a percentile rank stands for: the smallest whole number of values that is at least rank × total / 100, for the decimal
/// number that the caller wrote.</summary>
/// <remarks>Computed in integers. In <see cref="double"/>, 7 / 100 × 100 is above 7, and above 2⁵³ every product is rounded.</remarks>
internal static class PercentileRank
{
    public const double Max = 100;

    /// <summary>A rank with at most six decimals, as most are written, is a whole number of these.</summary>
    private const double StepsPerPercent = 1e6;

    private const ulong AllSteps = (ulong)(Max * StepsPerPercent);

    /// <summary>The count that a rank from 0 to 100 stands for, at least 1; 0 of a total of 0.</summary>
    public static ulong ToCount(double rank, ulong total)
    {
        double steps = Math.Round(rank * StepsPerPercent);

        // Two decimal numbers of up to 15 digits are never the same double, so a quotient that is the rank is what the caller wrote.
        if (steps / StepsPerPercent != rank)
        {
            return (ulong)UInt128.Clamp(ToCountOfShortest(rank, total), Math.Min(total, 1), total);
        }

        // A division of 64 bits by a constant takes a nanosecond, one of 128 bits dozens.
        ulong count = Math.BigMul((ulong)steps, total, out ulong product) == 0
            ? (product / AllSteps) + (product % AllSteps == 0 ? 0UL : 1)
            : (ulong)Divide((ulong)steps, total, AllSteps);
        return Math.Clamp(count, Math.Min(total, 1), total);
    }

    /// <summary>Whether at least one value lies above a rank: count × (1 − rank/100) ≥ 1. If none does, the percentile is only the largest
    /// value by another name.</summary>
    public static bool IsBelowMaximum(double rank, ulong total) => rank == 0 ? total > 0 : ToCount(rank, total) < total;

    /// <summary>The inverse of <see cref="ToCount"/>: the largest rank that stands for no more than a count.</summary>
    /// <param name="count">0 to <paramref name="total"/>.</param>
    /// <param name="total">The count of all values.</param>
    /// <returns>0 to 100; 0 for a count of 0.</returns>
    public static double Of(ulong count, ulong total)
    {
        if (count == 0)
        {
            return 0;
        }

        // Three roundings away from the rank at the most, and never above 100.
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

    /// <summary>factor × total / divisor, rounded up.</summary>
    private static UInt128 Divide(ulong factor, ulong total, UInt128 divisor)
    {
        ulong high = Math.BigMul(factor, total, out ulong low);
        (UInt128 quotient, UInt128 rest) = UInt128.DivRem(new UInt128(high, low), divisor);
        return quotient + (rest == 0 ? UInt128.Zero : UInt128.One);
    }

    /// <summary>As <see cref="ToCount"/>, for the shortest decimal number that is read as the rank.</summary>
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

        // 17 digits times a total are below 2¹²¹ and so below 10³⁷. Ranks up to 100 are at most three digits before the point.
        UInt128 divisor = 100;
        for (int i = 0; i < Math.Min(decimals, 35); i++)
        {
            divisor *= 10;
        }

        return Divide(factor, total, divisor);
    }
}
