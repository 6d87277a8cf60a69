using System.Globalization;
using System.Numerics;

namespace Picollo.Tests.Metrics;

/// <summary>Computes the count of a percentile rank from the definition, with unlimited integers.</summary>
internal static class RankOracle
{
    /// <summary>Returns the smallest integer from 1 that is at least rank × total / 100, for the shortest decimal number of the
    /// rank.</summary>
    public static ulong CountAt(double rank, ulong total)
    {
        string[] text = rank.ToString("R", CultureInfo.InvariantCulture).Split('E');
        string[] digits = text[0].Split('.');
        int exponent = (text.Length > 1 ? int.Parse(text[1], CultureInfo.InvariantCulture) : 0) - (digits.Length > 1 ? digits[1].Length : 0);
        BigInteger product = BigInteger.Parse(string.Concat(digits), CultureInfo.InvariantCulture) * total;
        BigInteger divisor = 100 * BigInteger.Pow(10, Math.Max(0, -exponent));
        product *= BigInteger.Pow(10, Math.Max(0, exponent));
        return (ulong)BigInteger.Max((product + divisor - 1) / divisor, BigInteger.Min(total, 1));
    }

    /// <summary>Asserts that no larger rank has the count <paramref name="count"/>.</summary>
    public static void ShouldBeLargest(double rank, ulong count, ulong total)
    {
        if (count == 0 || count == total)
        {
            rank.Should().Be(count == 0 ? 0 : 100);
            return;
        }

        rank.Should().BeInRange(0, Math.BitDecrement(100));
        CountAt(rank, total).Should().BeLessThanOrEqualTo(count);
        CountAt(Math.BitIncrement(rank), total).Should().BeGreaterThan(count);
    }
}
