namespace Picollo.Export.Plots;

/// <summary>Formats the numbers of plots, without trailing zeros: values with all their digits, and the ticks of axes.</summary>
internal static class PlotNumber
{
    private static readonly string[] Suffixes = ["", "k", "M", "G", "T", "P", "E"];

    /// <summary>The value from which numbers are written with an exponent: more than ten times the largest value that can be
    /// recorded.</summary>
    private const double ExponentThreshold = 1e21;

    /// <summary>Formats a very small or very large number.</summary>
    public static string Exponent(double value) => value.ToString("0.###E+0", CultureInfo.InvariantCulture);

    /// <summary>Formats a value in full. Small values have up to four decimals.</summary>
    public static string Value(double value) => Math.Abs(value) switch
    {
        0 => "0",
        < 0.001 or >= ExponentThreshold => Exponent(value),
        < 1000 => value.ToString("0.####", CultureInfo.InvariantCulture),
        _ => value.ToString("#,##0.##", CultureInfo.InvariantCulture),
    };

    /// <summary>Formats a recorded value in a unit. If the unit is that of recorded values, all digits are shown.</summary>
    public static string Value(ulong value, double unitRatio) =>
        unitRatio == 1 ? value.ToString("N0", CultureInfo.InvariantCulture) : Value(value / unitRatio);

    /// <summary>Formats a value with three digits and a suffix: 12.3k.</summary>
    public static string Short(double value)
    {
        int thousands = ThousandsOf(value);
        double scaled = value / Math.Pow(1000, thousands);
        string digits = Math.Abs(scaled) switch
        {
            0 => "0",
            < 0.001 => scaled.ToString("0.#E+0", CultureInfo.InvariantCulture),
            < 1 => scaled.ToString("0.####", CultureInfo.InvariantCulture),
            < 10 => scaled.ToString("0.##", CultureInfo.InvariantCulture),
            < 100 => scaled.ToString("0.#", CultureInfo.InvariantCulture),
            >= 999.5 when thousands == Suffixes.Length - 1 => value.ToString("0.##E+0", CultureInfo.InvariantCulture),
            _ => scaled.ToString("0", CultureInfo.InvariantCulture),
        };
        return digits.Contains('E', StringComparison.Ordinal) ? digits : digits + Suffixes[thousands];
    }

    /// <summary>Formats a tick of a linear axis with as many decimals as the step needs, and the suffix of the largest tick.</summary>
    public static string Tick(double value, double step, double largest)
    {
        int thousands = ThousandsOf(largest);
        double scale = Math.Pow(1000, thousands);
        if (value == 0)
        {
            return "0";
        }

        if (largest is < 0.001 or >= ExponentThreshold)
        {
            return Exponent(value);
        }

        const int MaxDecimals = 7;
        int decimals = 0;
        for (double rest = step / scale; decimals < MaxDecimals && Math.Abs(rest - Math.Round(rest)) > rest * 1e-6; rest *= 10)
        {
            decimals++;
        }

        return (value / scale).ToString("0." + new string('#', decimals), CultureInfo.InvariantCulture) + Suffixes[thousands];
    }

    /// <summary>Formats a rank in percent with all its digits.</summary>
    public static string Rank(double rank) => rank.ToString("0.############", CultureInfo.InvariantCulture);

    private static int ThousandsOf(double value) =>
        Math.Abs(value) < 1000 ? 0 : Math.Min((int)Math.Floor((Math.Log10(Math.Abs(value)) / 3) + 1e-9), Suffixes.Length - 1);
}
