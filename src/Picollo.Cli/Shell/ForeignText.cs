using Picollo.Export;
using Picollo.Export.Text;

namespace Picollo.Cli.Shell;

/// <summary>Sanitizes text from other programs: names, command lines, headers, and messages that quote them.</summary>
internal static class ForeignText
{
    private const int Width = 80;

    public static string Clean(string text) => CleanText.From(text);

    /// <summary>Writes a sanitized text in lines of at most 80 columns. Breaks lines at spaces only, so a longer word is not
    /// broken, and no line starts with a percent sign.</summary>
    public static void WriteWrapped(this TextWriter writer, string text)
    {
        const char NoBreakSpace = '\0'; // never in a sanitized text
        string line = "";
        foreach (string word in Clean(text).Replace(" %", $"{NoBreakSpace}%", StringComparison.Ordinal).Split(' '))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > Width)
            {
                writer.WriteLine(line.Replace(NoBreakSpace, ' '));
                line = "";
            }

            line = line.Length == 0 ? word : $"{line} {word}";
        }

        writer.WriteLine(line.Replace(NoBreakSpace, ' '));
    }

    /// <summary>Escapes unsafe characters in a JSON text without changing its meaning. .NET does not escape characters that change the text
    /// direction.</summary>
    public static string EscapeInJson(string json)
    {
        if (json.AsSpan().IndexOfAnyExceptInRange(' ', '~') < 0)
        {
            return json;
        }

        // These characters only occur within the strings of a JSON text.
        StringBuilder escaped = new(json.Length + 64);
        int copied = 0, position = 0;
        foreach (Rune rune in json.EnumerateRunes())
        {
            int next = position + rune.Utf16SequenceLength;
            if (CleanText.IsUnsafe(rune))
            {
                escaped.Append(json, copied, position - copied);
                for (copied = next; position < next; position++)
                {
                    escaped.Append(CultureInfo.InvariantCulture, $"\\u{(int)json[position]:X4}");
                }
            }

            position = next;
        }

        escaped.Append(json, copied, json.Length - copied);
        return escaped.ToString();
    }
}
