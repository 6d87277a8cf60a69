namespace Picollo.Metrics;

/// <summary>Converts a percentile rank to a count: the smallest integer that is at least rank × total / 100.</summary>
/// <remarks>A rank with up to six decimals is the decimal number that the caller wrote. Any other rank, such as 100.0 * k / n, may have
/// been rounded up, which would give the count k + 1. The next smaller <see cref="double"/> is used instead, as in HdrHistogram (Java). The
/// arithmetic is in integers: in <see cref="double"/>, 7 / 100 × 100 is above 7, and products above 2⁵³ are rounded.</remarks>
internal static class PercentileRank
{
    public const double Max = 100;

    private const double StepsPerPercent = 1e6;

    private const ulong AllSteps = (ulong)(Max * StepsPerPercent);

    private const int SignificandLength = 52;

    /// <summary>Returns the count of a rank from 0 to 100. It is at least 1, or 0 if the total is 0.</summary>
    public static ulong ToCount(double rank, ulong total)
    {
        // The decrement of a rank just above a decimal number is that number, so a larger rank never has a smaller count.
        if (!TryGetSteps(rank, out ulong steps) && !TryGetSteps(Math.BitDecrement(rank), out steps))
        {
            return ToCountOfBinary(Math.BitDecrement(rank), total);
        }

        // A 64-bit division by a constant takes a nanosecond; a 128-bit division takes tens of nanoseconds.
        ulong count = Math.BigMul(steps, total, out ulong product) == 0
            ? (product / AllSteps) + (product % AllSteps == 0 ? 0UL : 1)
            : Divide(steps, total, AllSteps);
        return Math.Clamp(count, Math.Min(total, 1), total);
    }

    /// <summary>Returns whether at least one value is above a rank: count × (1 − rank/100) ≥ 1. Otherwise, the percentile is equal to the
    /// maximum.</summary>
    public static bool IsBelowMaximum(double rank, ulong total) => rank == 0 ? total > 0 : ToCount(rank, total) < total;

    /// <summary>Returns the rank of a count: the inverse of <see cref="ToCount"/>. The count of the result is not larger.</summary>
    /// <param name="count">The count, from 0 to <paramref name="total"/>.</param>
    /// <param name="total">The count of all values.</param>
    /// <returns>The rank, from 0 to 100; 0 for a count of 0.</returns>
    public static double Of(ulong count, ulong total)
    {
        if (count == 0 || count == total)
        {
            return count == 0 ? 0 : Max;
        }

        double rank = Math.Min(count * Max / total, Max);
        while (ToCount(rank, total) > count) // ends soon: the rank is at most three roundings away
        {
            rank = Math.BitDecrement(rank);
        }

        return rank;
    }

    /// <summary>Gets a rank with up to six decimals as an integer.</summary>
    private static bool TryGetSteps(double rank, out ulong steps)
    {
        // Decimal numbers of up to 15 digits are distinct doubles, so if the quotient equals the rank, it is the decimal number of the
        // caller.
        double rounded = Math.Round(rank * StepsPerPercent);
        steps = (ulong)rounded;
        return rounded / StepsPerPercent == rank;
    }

    /// <summary>Works like <see cref="ToCount"/>, for the exact value of a rank above 0.</summary>
    private static ulong ToCountOfBinary(double rank, ulong total)
    {
        // The rank is significand / 2^scale. The product is below 2¹¹⁷: for larger scales than 121, the count is also 1.
        ulong bits = BitConverter.DoubleToUInt64Bits(rank);
        ulong significand = (bits & ((1UL << SignificandLength) - 1)) | (1UL << SignificandLength);
        int scale = 1023 + SignificandLength - (int)(bits >> SignificandLength);
        return Divide(significand, total, (UInt128)Max << Math.Min(scale, 121));
    }

    /// <summary>Returns factor × total / divisor, rounded up.</summary>
    private static ulong Divide(ulong factor, ulong total, UInt128 divisor)
    {
        (UInt128 quotient, UInt128 rest) = UInt128.DivRem((UInt128)factor * total, divisor);
        return (ulong)quotient + (rest == 0 ? 0UL : 1);
    }
}
