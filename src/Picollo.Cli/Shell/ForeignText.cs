using System.Globalization;
using System.Text;

namespace Picollo.Cli.Shell;

/// <summary>Text from elsewhere: names, command lines, headers, messages that quote them.</summary>
internal static class ForeignText
{
    /// <summary>With a question mark for each character that would steer the terminal, break the line, or turn its direction (Unicode's
    /// categories of control and format characters, line and paragraph separators, and halves of surrogate pairs).</summary>
    public static string Clean(string text) =>
        text.AsSpan().IndexOfAnyExceptInRange(' ', '~') < 0 ? text : string.Concat(text.EnumerateRunes().Select(Clean));

    /// <summary>The characters of a JSON text that would do so as escapes, which mean the same: .NET leaves those that turn the direction
    /// as they are.</summary>
    public static string EscapeInJson(string json)
    {
        if (json.AsSpan().IndexOfAnyExceptInRange(' ', '~') < 0)
        {
            return json;
        }

        // Outside of its strings a JSON text has none of them.
        StringBuilder escaped = new(json.Length + 64);
        foreach (Rune rune in json.EnumerateRunes())
        {
            string text = rune.ToString();
            _ = Steers(rune)
                ? text.Aggregate(escaped, (to, half) => to.Append(CultureInfo.InvariantCulture, $"\\u{(int)half:X4}"))
                : escaped.Append(text);
        }

        return escaped.ToString();
    }

    private static string Clean(Rune rune) => Steers(rune) || rune == Rune.ReplacementChar ? "?" : rune.ToString();

    private static bool Steers(Rune rune) => Rune.GetUnicodeCategory(rune)
        is UnicodeCategory.Control or UnicodeCategory.Format
        or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
        or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse;
}
