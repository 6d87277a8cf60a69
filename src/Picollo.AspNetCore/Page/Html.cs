using System.Text.Encodings.Web;

namespace Picollo.AspNetCore.Page;

/// <summary>Encodes the application's text as HTML.</summary>
internal static class Html
{
    // A longer name would hide the others.
    private const int Letters = 160;

    private const int LettersOfUnit = 20;

    /// <summary>Encodes a name, shortened in its middle, and isolates its writing direction from the text around it.</summary>
    public static string Name(string name, int letters = Letters) => $"<bdi>{Encode(Shorten(name, letters))}</bdi>";

    /// <summary>Encodes the name of a unit.</summary>
    public static string Unit(string name) => Name(name, LettersOfUnit);

    /// <summary>Encodes text for an element or a quoted attribute. Invisible characters (controls, overrides of the writing direction,
    /// which can disguise a name, and unpaired surrogates) become U+FFFD, as in a plot.</summary>
    public static string Encode(string text) =>
        HtmlEncoder.Default.Encode(string.Concat(text.Select(letter => IsInvisible(letter) ? '\ufffd' : letter)));

    /// <summary>Keeps the start and the end of a long name, which is where names differ.</summary>
    public static string Shorten(string name, int letters = Letters)
    {
        int tail = letters / 4;
        return name.Length <= letters ? name : $"{name.AsSpan(0, letters - tail)}…{name.AsSpan(name.Length - tail)}";
    }

    private static bool IsInvisible(char letter) => char.IsControl(letter)
        || letter is '\u061c' or (>= '\u200e' and <= '\u200f') or (>= '\u2028' and <= '\u202e') or (>= '\u2066' and <= '\u2069');
}
