using System.Globalization;

namespace Picollo.AspNetCore.Page;

/// <summary>Formats numbers for the page.</summary>
internal static class Numbers
{
    /// <summary>The text for a missing number.</summary>
    public const string Nothing = "–";

    private const int MaxDecimals = 12;
    private static readonly string Decimals = "0." + new string('#', MaxDecimals);

    /// <summary>Formats a number with about three significant digits, without decimals from 100 up. Values below 1e-12 are 0.</summary>
    public static string Short(double value) => Math.Abs(value) switch
    {
        0 => "0",
        < 0.001 and var size => Math.Round(value, Math.Min(2 - (int)Math.Floor(Math.Log10(size)), MaxDecimals))
            .ToString(Decimals, CultureInfo.InvariantCulture),
        < 1 => value.ToString("0.000", CultureInfo.InvariantCulture),
        < 10 => value.ToString("0.00", CultureInfo.InvariantCulture),
        < 100 => value.ToString("0.0", CultureInfo.InvariantCulture),
        < 1e12 => value.ToString("N0", CultureInfo.InvariantCulture),
        _ => value.ToString("0.##E+0", CultureInfo.InvariantCulture),
    };

    /// <summary>Formats a number, or <see cref="Nothing"/> for null.</summary>
    public static string Short(double? value) => value is { } known ? Short(known) : Nothing;

    /// <summary>Formats a time in a suitable unit: s, ms or µs.</summary>
    public static string Time(double seconds) => seconds switch
    {
        0 or >= 1 => Short(seconds) + " s",
        >= 0.001 => Short(seconds * 1e3) + " ms",
        _ => Short(seconds * 1e6) + " µs",
    };

    /// <summary>Formats a share, where 1 is 100 %.</summary>
    public static string Percent(double share) => share switch
    {
        0 => "0 %",
        < 0.0005 => "< 0.1 %",
        < 0.0995 => string.Create(CultureInfo.InvariantCulture, $"{share * 100:0.0} %"),
        < 1000 => string.Create(CultureInfo.InvariantCulture, $"{share * 100:N0} %"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{share * 100:0.##E+0} %"),
    };

    /// <summary>Formats a time in its two largest units, and omits the second unit if its value is 0.</summary>
    public static string Duration(TimeSpan time)
    {
        return time switch
        {
            { TotalMinutes: < 1 } => Of(time.Seconds, "s"),
            { TotalHours: < 1 } => Of(time.Minutes, "min", time.Seconds, "s"),
            { TotalDays: < 1 } => Of(time.Hours, "h", time.Minutes, "min"),
            _ => Of(time.Days, "d", time.Hours, "h"),
        };

        static string Of(int first, string unit, int second = 0, string secondUnit = "") => second == 0
            ? string.Create(CultureInfo.InvariantCulture, $"{first:N0} {unit}")
            : string.Create(CultureInfo.InvariantCulture, $"{first:N0} {unit} {second} {secondUnit}");
    }

    public static string Count(ulong count) => count.ToString("N0", CultureInfo.InvariantCulture);
}
