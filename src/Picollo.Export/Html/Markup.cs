namespace Picollo.Export.Html;

/// <summary>Encodes text for XML and HTML.</summary>
internal static class Markup
{
    /// <summary>Encodes text for an element or a quoted attribute.</summary>
    /// <remarks>Characters that XML 1.0 does not allow, and characters that change the text direction, become U+FFFD. The former cannot be
    /// encoded, and the latter would allow a name to disguise itself.</remarks>
    public static string Encode(string text)
    {
        StringBuilder encoded = new(text.Length);
        foreach (Rune rune in text.EnumerateRunes())
        {
            _ = rune.Value switch
            {
                '&' => encoded.Append("&amp;"),
                '<' => encoded.Append("&lt;"),
                '>' => encoded.Append("&gt;"),
                '"' => encoded.Append("&quot;"),
                '\'' => encoded.Append("&#39;"),
                '\n' => encoded.Append("&#10;"),
                '\t' => encoded.Append(' '),
                _ => encoded.Append((IsInvisible(rune) ? Rune.ReplacementChar : rune).ToString()),
            };
        }

        return encoded.ToString();
    }

    private static bool IsInvisible(Rune rune) => rune.Value is 0xFFFE or 0xFFFF or 0x2028 or 0x2029
        || Rune.GetUnicodeCategory(rune) is UnicodeCategory.Control
        || rune.Value is 0x061C or (>= 0x200E and <= 0x200F) or (>= 0x202A and <= 0x202E) or (>= 0x2066 and <= 0x2069);
}
