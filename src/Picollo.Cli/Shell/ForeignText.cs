using System.Globalization;
using System.Text;

namespace Picollo.Cli.Shell;

/// <summary>Text from other programs: names, command lines, headers, and messages that quote them.</summary>
internal static class ForeignText
{
    private const int Width = 80;

    /// <summary>Replaces each character that would control the terminal, break the line or turn its direction by a question mark (Unicode's
    /// categories of control and format characters, line and paragraph separators, and halves of surrogate pairs).</summary>
    public static string Clean(string text) =>
        text.AsSpan().IndexOfAnyExceptInRange(' ', '~') < 0 ? text : string.Concat(text.EnumerateRunes().Select(Clean));

    /// <summary>Writes a cleaned text in lines of at most 80 columns, broken at blanks; a word that is longer stays whole.</summary>
    public static void WriteWrapped(this TextWriter writer, string text)
    {
        string line = "";
        foreach (string word in Clean(text).Split(' '))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > Width)
            {
                writer.WriteLine(line);
                line = "";
            }

            line = line.Length == 0 ? word : $"{line} {word}";
        }

        writer.WriteLine(line);
    }

    /// <summary>Escapes these characters in a JSON text, which keeps its meaning: .NET does not escape those that turn the
    /// direction.</summary>
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
