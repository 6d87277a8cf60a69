using System.Globalization;

namespace Picollo.Cli.Jitter;

/// <summary>A time as options take it: a number and its unit, <c>250us</c>, <c>0.5s</c>, <c>2m</c>; or a number alone.</summary>
internal static class TimeText
{
    private const decimal NanosecondsPerTick = 100;

    private static readonly (string Name, decimal Nanoseconds)[] Units =
    [
        ("ns", 1m), ("us", 1e3m), ("µs", 1e3m), ("ms", 1e6m), ("s", 1e9m), ("m", 60e9m), ("h", 3600e9m), ("d", 86_400e9m),
    ];

    /// <summary>The time; null where the text is none, is 0, is no multiple of 100 ns (a <see cref="TimeSpan"/>'s step), or is too long for
    /// one.</summary>
    /// <param name="text">What was given.</param>
    /// <param name="unit">The unit of a number alone.</param>
    public static TimeSpan? Parse(string text, string unit)
    {
        ReadOnlySpan<char> name = text.AsSpan().TrimStart("0123456789.");
        ReadOnlySpan<char> digits = text.AsSpan(0, text.Length - name.Length);
        decimal perUnit = NanosecondsPer(name.IsEmpty ? unit : name);
        if (perUnit == 0
            || !decimal.TryParse(digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal number)
            || number > decimal.MaxValue / perUnit)
        {
            return null;
        }

        decimal ticks = number * perUnit / NanosecondsPerTick;
        return ticks > 0 && ticks <= long.MaxValue && ticks == decimal.Truncate(ticks) ? TimeSpan.FromTicks((long)ticks) : null;
    }

    private static decimal NanosecondsPer(ReadOnlySpan<char> unit)
    {
        foreach ((string name, decimal nanoseconds) in Units)
        {
            if (unit.Equals(name, StringComparison.OrdinalIgnoreCase))
            {
                return nanoseconds;
            }
        }

        return 0;
    }
}
