using System.Globalization;
using System.Text;

namespace Picollo.Cli.Top;

/// <summary>Numbers in columns as top(1) writes them: never wider than the column, in the finest unit that fits.</summary>
internal static class TopNumbers
{
    private const char Unknown = '-';
    private const char TooLarge = '?';

    /// <summary>Behind kibibytes, which have no letter.</summary>
    private const string MemoryUnits = "mgtpe";

    /// <summary>Bytes in kibibytes, or in a larger unit with one decimal.</summary>
    public static void AppendMemory(StringBuilder to, long? bytes, int width)
    {
        int start = to.Length;
        if (bytes is not { } count)
        {
            to.Append(Unknown);
        }
        else if (count >> 10 is var kibibytes && kibibytes < Math.Pow(10, width))
        {
            to.Append(kibibytes);
        }
        else
        {
            AppendScaled(to, kibibytes / 1024.0, 1024, MemoryUnits, width);
        }

        Align(to, start, width);
    }

    /// <summary>A share in percent with one decimal, or none.</summary>
    public static void AppendPercent(StringBuilder to, double? share, int width)
    {
        int start = to.Length;
        double percent = (share ?? 0) * 100;
        if (share is null)
        {
            to.Append(Unknown);
        }
        else if (Fits(percent, width, decimals: 1))
        {
            to.Append(CultureInfo.InvariantCulture, $"{percent:0.0}");
        }
        else if (Fits(percent, width, decimals: 0))
        {
            to.Append(CultureInfo.InvariantCulture, $"{percent:0}");
        }
        else
        {
            AppendScaled(to, percent / 1000, 1000, "kMG", width);
        }

        Align(to, start, width);
    }

    /// <summary>Minutes, seconds and hundredths (<c>M:SS.cc</c>), or what of them fits: <c>M:SS</c>, then hours and minutes (<c>H,MM</c>), hours,
    /// days, weeks.</summary>
    public static void AppendTime(StringBuilder to, TimeSpan time, int width)
    {
        int start = to.Length;
        long hundredths = time.Ticks / (TimeSpan.TicksPerSecond / 100);
        long seconds = hundredths / 100;
        long minutes = seconds / 60;
        long hours = minutes / 60;
        long days = hours / 24;
        if (minutes < Math.Pow(10, width - 6))
        {
            to.Append(CultureInfo.InvariantCulture, $"{minutes}:{seconds % 60:00}.{hundredths % 100:00}");
        }
        else if (minutes < Math.Pow(10, width - 3))
        {
            to.Append(CultureInfo.InvariantCulture, $"{minutes}:{seconds % 60:00}");
        }
        else if (hours < Math.Pow(10, width - 3))
        {
            to.Append(CultureInfo.InvariantCulture, $"{hours},{minutes % 60:00}");
        }
        else
        {
            (long count, char unit) = hours < Math.Pow(10, width - 1) ? (hours, 'h') : days < Math.Pow(10, width - 1) ? (days, 'd') : (days / 7, 'w');
            to.Append(count).Append(unit);
        }

        Align(to, start, width);
    }

    /// <summary>A whole number; a question mark for what the column is too narrow for.</summary>
    public static void AppendCount(StringBuilder to, long? count, int width)
    {
        int start = to.Length;
        _ = count is { } number ? to.Append(number) : to.Append(Unknown);
        if (to.Length - start > width)
        {
            to.Length = start;
            to.Append(TooLarge);
        }

        Align(to, start, width);
    }

    /// <summary>What was added since <paramref name="start"/> to the right of a column.</summary>
    public static void Align(StringBuilder to, int start, int width)
    {
        int blanks = width - (to.Length - start);
        if (blanks > 0)
        {
            to.Insert(start, " ", blanks);
        }
    }

    // In the unit that leaves the fewest digits before the point; with one behind it where that fits.
    private static void AppendScaled(StringBuilder to, double value, double step, string units, int width)
    {
        int unit = 0;
        while (unit < units.Length - 1 && (value >= step || !Fits(value, width - 1, decimals: 0)))
        {
            value /= step;
            unit++;
        }

        _ = Fits(value, width - 1, decimals: 1)
            ? to.Append(CultureInfo.InvariantCulture, $"{value:0.0}{units[unit]}")
            : to.Append(CultureInfo.InvariantCulture, $"{value:0}{units[unit]}");
    }

    // As it is rounded when it is written.
    private static bool Fits(double value, int width, int decimals) => decimals == 0
        ? Math.Round(value, MidpointRounding.AwayFromZero) < Math.Pow(10, width)
        : width > 2 && Math.Round(value, 1, MidpointRounding.AwayFromZero) < Math.Pow(10, width - 2);
}
