using System.Text;

namespace Picollo.Profiling;

/// <summary>Text from other programs, such as names of functions and processes.</summary>
/// <remarks>It is cleaned where it enters a profile, so that no output of a profile can control a terminal or break a line.</remarks>
internal static class CleanText
{
    /// <summary>Replaces each character that controls a terminal, breaks the line or changes the text direction with a question mark
    /// (Unicode's categories of control, format and private-use characters, line and paragraph separators, and unpaired
    /// surrogates).</summary>
    public static string Of(string text) =>
        text.AsSpan().IndexOfAnyExceptInRange(' ', '~') < 0 ? text : string.Concat(text.EnumerateRunes().Select(Clean));

    private static string Clean(Rune rune) => rune == Rune.ReplacementChar || Rune.GetUnicodeCategory(rune)
        is UnicodeCategory.Control or UnicodeCategory.Format
        or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
        or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse ? "?" : rune.ToString();
}
