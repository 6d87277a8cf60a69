using System.Numerics;

namespace Picollo.Export.Text;

/// <summary>
/// Formats numbers with a fixed number of decimals as Java's <c>%.nf</c> does: the shortest digits that identify the number, rounded half
/// up. <c>ToString("Fn")</c> rounds the exact binary value of the number, which is below 0.15 for 0.15.
/// </summary>
internal static class FixedPoint
{
    // From 2⁵³ on, a double has no fraction. Below it, a decimal holds the shortest digits, at most 17, and 12 decimals.
    private const double NoFraction = 1L << 53;

    public static string Format(double value, int decimals)
    {
        if (!double.IsFinite(value))
        {
            return value.ToString(CultureInfo.InvariantCulture);
        }

        CultureInfo culture = CultureInfo.InvariantCulture;
        string shortest = Math.Abs(value).ToString("R", culture);
        string text = Math.Abs(value) < NoFraction
            ? decimal.Round(decimal.Parse(shortest, NumberStyles.Float, culture), decimals, MidpointRounding.AwayFromZero)
                .ToString($"F{decimals}", culture)
            : BigInteger.Parse(shortest, NumberStyles.Float, culture).ToString($"F{decimals}", culture);
        return double.IsNegative(value) ? "-" + text : text;
    }
}
