namespace Picollo.Metrics;

/// <summary>Numbers of a table whose values are divided by a ratio: as many digits as are known, not those that a division makes
/// up.</summary>
internal static class UnitText
{
    private const int MaxDecimals = 28; // beyond what any ratio within units makes of a value

    /// <summary>A value of a bucket so wide. Where that is one, every digit is known; else the last digit is worth at most half the
    /// width, the ± beside it.</summary>
    public static string Value(ulong value, ulong step, double ratio) => ratio == 1 ? value.ToString("N0", CultureInfo.InvariantCulture)
        : step == 1 ? Shortest(value / ratio)
        : Fixed(value / ratio, DecimalsFor(step / 2 / ratio));

    /// <summary>A width, a digit of it where it is less than one.</summary>
    public static string Width(ulong width, double ratio) =>
        ratio == 1 ? width.ToString("N0", CultureInfo.InvariantCulture) : Uncertainty(width / ratio);

    /// <summary>A digit of it where it is less than one.</summary>
    public static string Uncertainty(double value) => value == 0 ? "0" : Fixed(value, DecimalsFor(value));

    /// <summary>A mean or deviation: two decimals, and five digits where it is small.</summary>
    public static string Real(double value, double ratio)
    {
        const int Digits = 5;
        double scaled = value / ratio;
        int decimals = ratio == 1 || scaled == 0 ? 2 : Digits - 1 - (int)Math.Floor(Math.Log10(Math.Abs(scaled)));
        return Fixed(scaled, Math.Clamp(decimals, 2, MaxDecimals));
    }

    // The largest power of ten that is not above the uncertainty.
    private static int DecimalsFor(double uncertainty) => Math.Clamp(-(int)Math.Floor(Math.Log10(uncertainty)), 0, MaxDecimals);

    private static string Fixed(double value, int decimals) => value.ToString($"N{decimals}", CultureInfo.InvariantCulture);

    /// <summary>All digits that distinguish it from other numbers.</summary>
    public static string Shortest(double value) => value.ToString("#,##0.############################", CultureInfo.InvariantCulture);
}

/// <summary>What values are divided by where they are printed for people.</summary>
internal static class UnitRatio
{
    /// <summary>Nanoseconds as milliseconds, the family's default for logs.</summary>
    public const double NanosecondsPerMillisecond = 1_000_000;

    public static void Check(double valueUnitRatio)
    {
        if (!(valueUnitRatio > 0 && double.IsFinite(valueUnitRatio)))
        {
            throw new ArgumentOutOfRangeException(nameof(valueUnitRatio), valueUnitRatio, "The unit ratio must be above 0 and finite.");
        }
    }
}
