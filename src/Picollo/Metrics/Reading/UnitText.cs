namespace Picollo.Metrics;

/// <summary>Formats the numbers of a summary. Values that are divided by a ratio have the digits that are known, without spurious digits
/// from the division. Picollo.Export compiles this file, too, for the table of its report.</summary>
internal static class UnitText
{
    private const int MaxDecimals = 28; // more than any valid ratio needs

    /// <summary>Formats a value of a bucket with width <paramref name="step"/>. If the width is 1, every digit is known. Otherwise, the
    /// last digit is at most half of the width, which the table shows after ±.</summary>
    public static string Value(ulong value, ulong step, double ratio) => ratio == 1 ? value.ToString("N0", CultureInfo.InvariantCulture)
        : step == 1 ? Shortest(value / ratio)
        : Fixed(value / ratio, DecimalsFor(step / 2 / ratio));

    /// <summary>Formats a width, with one significant digit if it is less than 1.</summary>
    public static string Width(ulong width, double ratio) =>
        ratio == 1 ? width.ToString("N0", CultureInfo.InvariantCulture) : Uncertainty(width / ratio);

    /// <summary>Formats an uncertainty, with one significant digit if it is less than 1.</summary>
    public static string Uncertainty(double value) => value == 0 ? "0" : Fixed(value, DecimalsFor(value));

    /// <summary>Formats a mean or a deviation with two decimals, or with five significant digits if it is small.</summary>
    public static string Real(double value, double ratio)
    {
        const int Digits = 5;
        double scaled = value / ratio;
        int decimals = ratio == 1 || scaled == 0 ? 2 : Digits - 1 - (int)Math.Floor(Math.Log10(Math.Abs(scaled)));
        return Fixed(scaled, Math.Clamp(decimals, 2, MaxDecimals));
    }

    // The last decimal is the largest power of ten that is not above the uncertainty.
    private static int DecimalsFor(double uncertainty) => Math.Clamp(-(int)Math.Floor(Math.Log10(uncertainty)), 0, MaxDecimals);

    /// <summary>Formats a rank with up to four decimal places, or with more if a rank below 100 would be rounded to 100.</summary>
    public static string Rank(double rank) =>
        rank.ToString(rank is >= 99.99995 and < 100 ? "R" : "0.####", CultureInfo.InvariantCulture);

    public static string Count(ulong count) => count.ToString("N0", CultureInfo.InvariantCulture);

    public static string Precision(double relativeError) =>
        (relativeError * 100).ToString("0.0000", CultureInfo.InvariantCulture) + "%";

    public static string Change(double before, double after) => before == 0
        ? after == 0 ? "+0.0%" : "n/a"
        : ((after - before) / before * 100).ToString("+0.0;-0.0;0.0", CultureInfo.InvariantCulture) + "%";

    private static string Fixed(double value, int decimals) => value.ToString($"N{decimals}", CultureInfo.InvariantCulture);

    /// <summary>Formats a value with all digits that distinguish it from other numbers.</summary>
    public static string Shortest(double value) => value.ToString("#,##0.############################", CultureInfo.InvariantCulture);
}
