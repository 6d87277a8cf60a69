using System.Text.Encodings.Web;

namespace Picollo.AspNetCore.Page;

/// <summary>Text of others as HTML.</summary>
internal static class Html
{
    // Names are the application's; one that is longer than this would hide all others.
    private const int Letters = 160;
    private const int TailLetters = 40;

    /// <summary>A name, encoded, shortened in its middle, and isolated so that it turns no writing direction but its own about.</summary>
    public static string Name(string name) => $"<bdi>{Encode(Shorten(name))}</bdi>";

    /// <summary>Encodes for an element or a quoted attribute; halves of surrogate pairs become U+FFFD.</summary>
    public static string Encode(string text) => HtmlEncoder.Default.Encode(text);

    /// <summary>A name's beginning and end, which is where names differ.</summary>
    public static string Shorten(string name) =>
        name.Length <= Letters ? name : $"{name.AsSpan(0, Letters - TailLetters)}…{name.AsSpan(name.Length - TailLetters)}";
}
