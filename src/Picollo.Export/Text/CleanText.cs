namespace Picollo.Export.Text;

/// <summary>Cleans text that comes from other programs, such as function and process names.</summary>
internal static class CleanText
{
    /// <summary>Replaces each character that controls a terminal, breaks the line or changes the text direction with a question
    /// mark.</summary>
    public static string From(string text) =>
        text.AsSpan().IndexOfAnyExceptInRange(' ', '~') < 0 ? text : string.Concat(text.EnumerateRunes().Select(Clean));

    /// <summary>Returns <see langword="true"/> if the character is in one of Unicode's control, format or private-use categories, or is a
    /// line or paragraph separator or half of a surrogate pair.</summary>
    public static bool IsUnsafe(Rune rune) => Rune.GetUnicodeCategory(rune)
        is UnicodeCategory.Control or UnicodeCategory.Format
        or UnicodeCategory.LineSeparator or UnicodeCategory.ParagraphSeparator
        or UnicodeCategory.Surrogate or UnicodeCategory.PrivateUse;

    private static string Clean(Rune rune) => IsUnsafe(rune) || rune == Rune.ReplacementChar ? "?" : rune.ToString();
}
