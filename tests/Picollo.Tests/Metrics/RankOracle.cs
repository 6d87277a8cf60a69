using System.Globalization;
using System.Numerics;

namespace Picollo.Tests.Metrics;

/// <summary>Computes the count of a percentile rank from the definition, with unlimited integers.</summary>
internal static class RankOracle
{
    private const int MaxDecimals = 6;

    /// <summary>Returns the smallest integer from 1 that is at least rank × total / 100. A rank with up to six decimals is a decimal
    /// number. Of any other rank, the next smaller double is taken, as a binary number if it has more decimals too.</summary>
    public static ulong CountAt(double rank, ulong total)
    {
        if (!TryGetDecimal(rank, out BigInteger numerator, out BigInteger denominator)
            && !TryGetDecimal(Math.BitDecrement(rank), out numerator, out denominator))
        {
            (numerator, denominator) = (1, 1);
            for (rank = Math.BitDecrement(rank); rank != Math.Floor(rank); rank *= 2)
            {
                denominator *= 2;
            }

            numerator = new BigInteger(rank);
        }

        BigInteger product = numerator * total, divisor = denominator * 100;
        return (ulong)BigInteger.Max((product + divisor - 1) / divisor, BigInteger.Min(total, 1));
    }

    /// <summary>Asserts that a rank is that of a count, and that its own count is not larger.</summary>
    public static void ShouldBeRankOf(double rank, ulong count, ulong total)
    {
        if (count == 0 || count == total)
        {
            rank.Should().Be(count == 0 ? 0 : 100);
            return;
        }

        rank.Should().BeApproximately(count / (double)total * 100, 1e-13).And.BeInRange(0, Math.BitDecrement(100));
        CountAt(rank, total).Should().BeLessThanOrEqualTo(count);
        if (total < 1UL << 50)
        {
            CountAt(rank, total).Should().Be(count);
        }
    }

    private static bool TryGetDecimal(double rank, out BigInteger numerator, out BigInteger denominator)
    {
        string[] text = rank.ToString("R", CultureInfo.InvariantCulture).Split('E');
        string[] digits = text[0].Split('.');
        int exponent = (text.Length > 1 ? int.Parse(text[1], CultureInfo.InvariantCulture) : 0) - (digits.Length > 1 ? digits[1].Length : 0);
        numerator = BigInteger.Parse(string.Concat(digits), CultureInfo.InvariantCulture) * BigInteger.Pow(10, Math.Max(0, exponent));
        denominator = BigInteger.Pow(10, Math.Max(0, -exponent));
        return exponent >= -MaxDecimals;
    }
}
