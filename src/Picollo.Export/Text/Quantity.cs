namespace Picollo.Export.Text;

/// <summary>Formats quantities in one way on all pages and in the tool, independently of the culture.</summary>
/// <remarks>Numbers have three significant digits and all digits before the decimal point. Some places have their own formats: the
/// histogram's tables show the digits that its precision permits, the axes of plots omit trailing zeros, and columns of text tables have a
/// fixed width and one unit.</remarks>
internal static class Quantity
{
    /// <summary>Replaces a missing value on a page.</summary>
    public const string MissingOnPage = "–";

    /// <summary>Replaces a missing value in plain text.</summary>
    public const string MissingInText = "-";

    private const int MaxDecimals = 12;
    private const double ExponentThreshold = 1e12;
    private static readonly string[] Suffixes = ["", "k", "M", "G", "T", "P", "E"];
    private static readonly string[] ByteUnits = [" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"];
    private static readonly string[] TimeUnits = [" ns", " µs", " ms", " s"];

    /// <summary>Formats a number without a suffix, for example for a column with a fixed unit: 0.0123, 12.3, 12,345.</summary>
    public static string Number(double value, int digits = 3)
    {
        double size = Math.Abs(value);
        if (size is < 1e-12 or double.NaN)
        {
            return size < 1 ? "0" : "NaN";
        }

        if (size >= ExponentThreshold)
        {
            return value.ToString("0.##E+0", CultureInfo.InvariantCulture);
        }

        int magnitude = (int)Math.Floor(Math.Log10(size));
        int decimals = Math.Clamp(digits - 1 - magnitude, 0, MaxDecimals);
        if (decimals > 0 && Math.Round(size, decimals) >= Math.Pow(10, magnitude + 1))
        {
            decimals--; // 9.996 is 10.0
        }

        return value.ToString("N" + decimals.ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture);
    }

    /// <summary>Formats a number with a suffix for thousands: 12.3k. Whole numbers below 1,000 have no decimals.</summary>
    public static string Short(double value, int digits = 3) => Scaled(value, 1000, Suffixes, digits);

    /// <summary>Formats a count with all digits: 12,345,678.</summary>
    public static string Count(ulong count) => count.ToString("N0", CultureInfo.InvariantCulture);

    public static string Count(long count) => count.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>Formats a number of bytes: 12.3 KiB.</summary>
    public static string Bytes(double bytes, int digits = 3) => Scaled(bytes, 1024, ByteUnits, digits);

    /// <summary>Formats a time: 12.3 ms.</summary>
    public static string Time(double nanoseconds, int digits = 3) =>
        nanoseconds == 0 ? "0 s" : Scaled(nanoseconds, 1000, TimeUnits, digits);

    /// <summary>Formats a share, where 1 is 100 %, with one decimal, or two below 1 %: 12.3 %, 0.45 %, 0.0 %.</summary>
    public static string Percent(double share)
    {
        double percent = 100 * share;
        string number = Math.Abs(percent) switch
        {
            0 => "0.0",
            < 0.995 => percent.ToString("0.00", CultureInfo.InvariantCulture),
            < ExponentThreshold => percent.ToString("N1", CultureInfo.InvariantCulture),
            _ => Number(percent),
        };
        return number + " %";
    }

    /// <summary>Formats a relative change, where 1 is +100 %, with its sign and one decimal: +12.3 %, 0.0 %.</summary>
    public static string Change(double share)
    {
        double percent = 100 * share;
        string format = Math.Abs(percent) < ExponentThreshold ? "+#,##0.0;-#,##0.0;0.0" : "+0.##E+0;-0.##E+0";
        return percent.ToString(format, CultureInfo.InvariantCulture) + " %";
    }

    /// <summary>Formats a time in its two largest units, and omits the second unit if its value is 0: 2 d 3 h, 5 min.</summary>
    public static string Duration(TimeSpan time)
    {
        return time switch
        {
            { TotalMinutes: < 1 } => Join(time.Seconds, "s"),
            { TotalHours: < 1 } => Join(time.Minutes, "min", time.Seconds, "s"),
            { TotalDays: < 1 } => Join(time.Hours, "h", time.Minutes, "min"),
            _ => Join(time.Days, "d", time.Hours, "h"),
        };

        static string Join(int first, string unit, int second = 0, string secondUnit = "") => second == 0
            ? string.Create(CultureInfo.InvariantCulture, $"{first:N0} {unit}")
            : string.Create(CultureInfo.InvariantCulture, $"{first:N0} {unit} {second} {secondUnit}");
    }

    private static string Scaled(double value, double step, string[] units, int digits)
    {
        // Rounded to the digits, 999.95 is 1,000 if there are four digits, and 999.5 if there are three.
        int decimals = Math.Max(digits - 1 - (int)Math.Log10(step - 1), 0);
        double largest = step - (0.5 / Math.Pow(10, decimals));
        int unit = 0;
        double scaled = value;
        while (Math.Abs(scaled) >= largest && unit < units.Length - 1)
        {
            scaled /= step;
            unit++;
        }

        return (unit == 0 && scaled == Math.Floor(scaled) ? scaled.ToString("N0", CultureInfo.InvariantCulture) : Number(scaled, digits))
            + units[unit];
    }
}
