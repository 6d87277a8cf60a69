using System.Globalization;

namespace Picollo.AspNetCore.Page;

/// <summary>Formats numbers for the page.</summary>
internal static class Numbers
{
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

    /// <summary>Formats a share of 1 in percent.</summary>
    public static string Percent(double share) => share switch
    {
        0 => "0 %",
        < 0.0005 => "< 0.1 %",
        < 0.0995 => string.Create(CultureInfo.InvariantCulture, $"{share * 100:0.0} %"),
        < 1000 => string.Create(CultureInfo.InvariantCulture, $"{share * 100:N0} %"),
        _ => string.Create(CultureInfo.InvariantCulture, $"{share * 100:0.##E+0} %"),
    };

    public static string Count(ulong count) => count.ToString("N0", CultureInfo.InvariantCulture);
}
