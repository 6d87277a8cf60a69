namespace Picollo.Metrics;

/// <summary>Formats values that are divided by a ratio with the digits that are known, without spurious digits from the division.</summary>
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

    private static string Fixed(double value, int decimals) => value.ToString($"N{decimals}", CultureInfo.InvariantCulture);

    /// <summary>Formats a value with all digits that distinguish it from other numbers.</summary>
    public static string Shortest(double value) => value.ToString("#,##0.############################", CultureInfo.InvariantCulture);
}

/// <summary>The divisor of values in human-readable text.</summary>
internal static class UnitRatio
{
    /// <summary>Shows nanoseconds as milliseconds, which is the default of other HdrHistogram libraries for logs.</summary>
    public const double NanosecondsPerMillisecond = 1_000_000;

    public static void Check(double valueUnitRatio)
    {
        if (!(valueUnitRatio > 0 && double.IsFinite(valueUnitRatio)))
        {
            throw new ArgumentOutOfRangeException(nameof(valueUnitRatio), valueUnitRatio, "The unit ratio must be above 0 and finite.");
        }
    }
}

/// <summary>Finds the number with the fewest digits in a bucket: people write 1.5, not the middle of its bucket.</summary>
internal static class RoundNumber
{
    /// <summary>Returns the number, in recorded values divided by <paramref name="ratio"/>, and the largest distance of any value of the
    /// bucket from it.</summary>
    public static (double Value, double Error) In(Bucket bucket, double ratio)
    {
        double start = bucket.Start / ratio;
        double end = ((double)bucket.Start + bucket.Step) / ratio;
        double middle = (start + end) / 2;
        if (bucket.Step <= 1)
        {
            return (start, 0); // every digit is known
        }

        // Try the multiple of a power of ten that is nearest to the middle, first with one digit, then with more.
        for (int decimals = -(int)Math.Floor(Math.Log10(end)); ; decimals++)
        {
            double value = Scale(Math.Round(Scale(middle, decimals)), -decimals);
            if (value >= start && value < end)
            {
                return (value, Math.Max(end - value, value - start));
            }
        }
    }

    // Powers of ten are exact up to 10²²; their reciprocals are not.
    private static double Scale(double value, int decimals) =>
        decimals >= 0 ? value * Math.Pow(10, decimals) : value / Math.Pow(10, -decimals);
}
