using System.Globalization;
using System.Numerics;

namespace Picollo.Export;

/// <summary>
/// Numbers with so many decimals as Java's <c>%.nf</c> prints them: the shortest digits that tell the number from its neighbours, rounded
/// half up. <c>ToString("Fn")</c> rounds the number's exact binary value, which for 0.15 lies below.
/// </summary>
internal static class FixedPoint
{
    public static string Format(double value, int decimals)
    {
        if (!double.IsFinite(value))
        {
            return value.ToString(CultureInfo.InvariantCulture);
        }

        string shortest = value.ToString("R", CultureInfo.InvariantCulture);
        int exponentAt = shortest.IndexOf('E', StringComparison.Ordinal);
        string digits = exponentAt < 0 ? shortest : shortest[..exponentAt];
        int exponent = exponentAt < 0 ? 0 : int.Parse(shortest.AsSpan(exponentAt + 1), CultureInfo.InvariantCulture);
        int point = digits.IndexOf('.', StringComparison.Ordinal);
        int fraction = point < 0 ? 0 : digits.Length - point - 1;
        BigInteger number = BigInteger.Parse(digits.Replace(".", "", StringComparison.Ordinal), CultureInfo.InvariantCulture);

        // number · 10^(exponent − fraction) is the value; shift more is what the decimals want.
        int shift = exponent - fraction + decimals;
        BigInteger power = BigInteger.Pow(10, Math.Abs(shift));
        BigInteger scaled = shift >= 0 ? number * power : (BigInteger.Abs(number) + (power / 2)) / power * number.Sign;
        string text = BigInteger.Abs(scaled).ToString(CultureInfo.InvariantCulture).PadLeft(decimals + 1, '0');
        string sign = double.IsNegative(value) ? "-" : "";
        return decimals == 0 ? sign + text : $"{sign}{text.AsSpan(0, text.Length - decimals)}.{text.AsSpan(text.Length - decimals)}";
    }
}
