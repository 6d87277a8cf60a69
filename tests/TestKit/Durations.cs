using System.Globalization;

namespace Picollo.TestKit;

/// <summary>Parses durations in commands of build.sh: 30s, 10m or 2h.</summary>
internal static class Durations
{
    /// <returns>The duration; null if the text is not a duration.</returns>
    public static TimeSpan? Parse(string text) =>
        text.Length > 1 && double.TryParse(text[..^1], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number) && number > 0
            ? text[^1] switch { 's' => TimeSpan.FromSeconds(number), 'm' => TimeSpan.FromMinutes(number), 'h' => TimeSpan.FromHours(number), _ => null }
            : null;
}
