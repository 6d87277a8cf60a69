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

    private static string Clean(Rune rune) => Rune.GetUnicodeCategory(rune) switch
    {
        UnicodeCategory.Control or UnicodeCategory.Format
            or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
            or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse => "?",
        _ => rune == Rune.ReplacementChar ? "?" : rune.ToString(),
    };
}
