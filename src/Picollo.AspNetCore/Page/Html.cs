using System.Text.Encodings.Web;

namespace Picollo.AspNetCore.Page;

/// <summary>Text of others as HTML.</summary>
internal static class Html
{
    // Names are the application's; one that is longer than this would hide all others.
    private const int Letters = 160;

    /// <summary>A name, encoded, shortened in its middle, and isolated, so that one that is written from right to left stays among
    /// itself.</summary>
    public static string Name(string name, int letters = Letters) => $"<bdi>{Encode(Shorten(name, letters))}</bdi>";

    /// <summary>Encodes for an element or a quoted attribute. What has no look of its own (controls, overrides of the writing direction,
    /// with which a name could disguise itself, halves of surrogate pairs) becomes U+FFFD, as it does in a plot.</summary>
    public static string Encode(string text) =>
        HtmlEncoder.Default.Encode(string.Create(text.Length, text, static (letters, text) =>
        {
            for (int i = 0; i < letters.Length; i++)
            {
                letters[i] = IsInvisible(text[i]) ? '\ufffd' : text[i];
            }
        }));

    /// <summary>A name's beginning and end, which is where names differ.</summary>
    public static string Shorten(string name, int letters = Letters)
    {
        int tail = letters / 4;
        return name.Length <= letters ? name : $"{name.AsSpan(0, letters - tail)}…{name.AsSpan(name.Length - tail)}";
    }

    private static bool IsInvisible(char letter) => char.IsControl(letter)
        || letter is '\u061c' or (>= '\u200e' and <= '\u200f') or (>= '\u2028' and <= '\u202e') or (>= '\u2066' and <= '\u2069');
}
