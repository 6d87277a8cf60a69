using System.Globalization;

namespace Picollo.Cli.Jitter;

/// <summary>Parses times in options: a number with a unit (<c>250us</c>, <c>0.5s</c>, <c>2m</c>) or without one.</summary>
internal static class TimeText
{
    private const decimal NanosecondsPerTick = 100;

    private static readonly (string Name, decimal Nanoseconds)[] Units =
    [
        ("ns", 1m), ("us", 1e3m), ("µs", 1e3m), ("ms", 1e6m), ("s", 1e9m), ("m", 60e9m), ("h", 3600e9m), ("d", 86_400e9m),
    ];

    /// <summary>Parses a time. Returns null if the text is not a time, is 0, is not a multiple of 100 ns (the resolution of
    /// <see cref="TimeSpan"/>), or is out of range.</summary>
    /// <param name="unit">The unit of a number without a unit.</param>
    public static TimeSpan? Parse(string text, string unit)
    {
        ReadOnlySpan<char> name = text.AsSpan().TrimStart("0123456789.");
        ReadOnlySpan<char> digits = text.AsSpan(0, text.Length - name.Length);
        string suffix = name.IsEmpty ? unit : name.ToString();
        decimal perUnit = Array.Find(Units, one => one.Name.Equals(suffix, StringComparison.OrdinalIgnoreCase)).Nanoseconds;
        if (perUnit == 0
            || !decimal.TryParse(digits, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out decimal number)
            || number > decimal.MaxValue / perUnit)
        {
            return null;
        }

        decimal ticks = number * perUnit / NanosecondsPerTick;
        return ticks > 0 && ticks <= long.MaxValue && ticks == decimal.Truncate(ticks) ? TimeSpan.FromTicks((long)ticks) : null;
    }
}
