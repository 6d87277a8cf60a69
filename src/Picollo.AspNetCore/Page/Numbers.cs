using System.Globalization;

namespace Picollo.AspNetCore.Page;

/// <summary>Formats numbers for the page.</summary>
internal static class Numbers
{
    /// <summary>Stands for a number that does not exist.</summary>
    public const string Nothing = "–";

    /// <summary>Formats about three significant digits, without decimals from 100 on.</summary>
    public static string Short(double value) => Math.Abs(value) switch
    {
        0 => "0",
        < 0.001 => value.ToString("0.##E+0", CultureInfo.InvariantCulture),
        < 1 => value.ToString("0.000", CultureInfo.InvariantCulture),
        < 10 => value.ToString("0.00", CultureInfo.InvariantCulture),
        < 100 => value.ToString("0.0", CultureInfo.InvariantCulture),
        < 1e12 => value.ToString("N0", CultureInfo.InvariantCulture),
        _ => value.ToString("0.##E+0", CultureInfo.InvariantCulture),
    };

    /// <summary>Formats a number; null is one that does not exist.</summary>
    public static string Short(double? value) => value is { } known ? Short(known) : Nothing;

    /// <summary>Formats a share of 1 in percent.</summary>
    public static string Percent(double share) => share switch
    {
        0 => "0 %",
        < 0.0005 => "< 0.1 %",
        < 0.0995 => string.Create(CultureInfo.InvariantCulture, $"{share * 100:0.0} %"),
        < 1000 => string.Create(CultureInfo.InvariantCulture, $"{share * 100:N0} %"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{share * 100:0.##E+0} %"),
    };

    /// <summary>Formats a time in its two largest units, without the second if it is 0.</summary>
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
