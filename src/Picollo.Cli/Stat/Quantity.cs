using System.Globalization;

namespace Picollo.Cli.Stat;

/// <summary>Formats numbers with units.</summary>
internal static class Quantity
{
    private static readonly string[] Times = ["ns", "µs", "ms", "s"];
    private static readonly string[] Sizes = ["B", "KiB", "MiB", "GiB", "TiB"];
    private static readonly string[] Counts = ["", "K", "M", "G", "T", "P", "E"];

    /// <summary>Formats a number in at most <paramref name="digits"/> + 5 columns.</summary>
    public static string Short(double value, CommandUnit unit, int digits = 4) => unit switch
    {
        CommandUnit.Nanoseconds => Scaled(value, 1000, Times, digits),
        CommandUnit.Bytes => Scaled(value, 1024, Sizes, digits),
        _ => Scaled(value, 1000, Counts, digits),
    };

    /// <summary>Formats a number. Counts have all digits.</summary>
    public static string Full(ulong value, CommandUnit unit) =>
        unit == CommandUnit.Count ? value.ToString("N0", CultureInfo.InvariantCulture) : Short(value, unit);

    /// <summary>Formats a share as a percentage, in at most six columns for shares below 100.</summary>
    public static string Percent(double share) => $"{Rounded(100 * share, 3)}%";

    private static string Scaled(double value, double step, string[] units, int digits)
    {
        int unit = 0;
        while (Math.Abs(value) >= step * (1 - (0.5 / step)) && unit < units.Length - 1)
        {
            value /= step;
            unit++;
        }

        string number = unit == 0 && value == Math.Floor(value)
            ? value.ToString("0", CultureInfo.InvariantCulture)
            : Rounded(value, digits);
        return $"{number} {units[unit]}".TrimEnd();
    }

    /// <summary>Formats a number with the specified number of significant digits.</summary>
    private static string Rounded(double value, int digits)
    {
        int before = value == 0 ? digits : 1;
        while (Math.Abs(value) >= Math.Pow(10, before) * (1 - (0.5 * Math.Pow(10, -digits))))
        {
            before++;
        }

        return value.ToString($"F{Math.Max(digits - before, 0)}", CultureInfo.InvariantCulture);
    }
}
