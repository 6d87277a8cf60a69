using System.Buffers;
using System.Text;

namespace Picollo.Export.Plots;

/// <summary>Formats text and numbers for SVG and HTML.</summary>
internal static class PlotText
{
    private const string Ellipsis = "…";
    private static readonly string[] Suffixes = ["", "k", "M", "G", "T", "P", "E"];

    /// <summary>Encodes text for an element or a quoted attribute, in XML and in HTML.</summary>
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

    public static string OneLine(string text) => text.ReplaceLineEndings(" ");

    /// <summary>Returns the width of a text in letters.</summary>
    public static int LettersOf(string text)
    {
        int[] starts = StartsOf(text);
        int width = 0;
        for (int i = 0; i < starts.Length - 1 && width < TooWide; i++)
        {
            width += WidthOf(text, starts, i);
        }

        return (width + LetterWidth - 1) / LetterWidth;
    }

    /// <summary>Returns the nearest grapheme boundaries around a part of a text.</summary>
    public static (int From, int To) ElementsAround(string text, int from, int to)
    {
        int[] starts = StartsOf(text);
        return (starts.Last(start => start <= from), starts.First(start => start >= to));
    }

    /// <summary>Splits a text into lines that are no wider than a number of letters. Lines end between words or, in a word that is too
    /// long, after the last punctuation character.</summary>
    public static IReadOnlyList<string> Wrap(string text, int letters)
    {
        List<string> lines = [];
        while (LettersOf(text) > letters)
        {
            int end = TakeHead(text, StartsOf(text), letters * LetterWidth);
            if (end == 0)
            {
                break; // a single letter that is too wide
            }

            int space = text.LastIndexOf(' ', end);
            int sign = text.AsSpan(0, end).LastIndexOfAny(WordSigns) + 1;
            int cut = space > end / 2 ? space : sign > end / 2 ? sign : end;
            lines.Add(text[..cut]);
            text = text[cut..].TrimStart(' ');
        }

        return [.. lines, text];
    }

    /// <summary>Returns a text on one line, shortened to a number of letters: its start and its end, in which names differ, with an
    /// ellipsis between them. A letter is as wide as most small letters. Capitals are somewhat wider; East Asian letters and emoji are
    /// twice as wide.</summary>
    public static string Shorten(string text, int letters)
    {
        text = OneLine(text);
        int width = letters * LetterWidth;
        int[] starts = StartsOf(text);
        if (TakeHead(text, starts, width) == text.Length)
        {
            return text;
        }

        int forTail = width / 3;
        int tail = starts.Length - 1;
        for (int used = 0; tail > 0; tail--)
        {
            used += WidthOf(text, starts, tail - 1);
            if (used > forTail)
            {
                break;
            }
        }

        return text[..TakeHead(text, starts, width - forTail - (2 * LetterWidth))] + Ellipsis + text[starts[tail]..];
    }

    /// <summary>Returns a text on one line, shortened to a number of letters, as <see cref="Shorten"/> counts them: its start and an
    /// ellipsis.</summary>
    public static string Cut(string text, int letters)
    {
        text = OneLine(text);
        int[] starts = StartsOf(text);
        return TakeHead(text, starts, letters * LetterWidth) == text.Length
            ? text
            : text[..TakeHead(text, starts, (letters - 1) * LetterWidth)] + Ellipsis;
    }

    /// <summary>The value from which numbers are written with an exponent: more than ten times the largest value that can be
    /// recorded.</summary>
    private const double ExponentThreshold = 1e21;

    /// <summary>Returns <see langword="true"/> if a number is written with decimals: it is neither very large nor so small that all
    /// decimals are zeros.</summary>
    public static bool HasDecimals(double value, int decimals) => Math.Round(value, decimals) != 0 && Math.Abs(value) < ExponentThreshold;

    /// <summary>Formats a very small or very large number.</summary>
    public static string Exponent(double value) => value.ToString("0.###E+0", CultureInfo.InvariantCulture);

    /// <summary>Formats a value in full. Small values have up to four decimals.</summary>
    public static string Value(double value) => Math.Abs(value) switch
    {
        0 => "0",
        < 0.001 or >= ExponentThreshold => Exponent(value),
        < 1000 => value.ToString("0.####", CultureInfo.InvariantCulture),
        _ => value.ToString("#,##0.##", CultureInfo.InvariantCulture),
    };

    /// <summary>Formats a recorded value in a unit. If the unit is that of recorded values, all digits are shown.</summary>
    public static string Value(ulong value, double unitRatio) =>
        unitRatio == 1 ? value.ToString("N0", CultureInfo.InvariantCulture) : Value(value / unitRatio);

    /// <summary>Formats a value with three digits and a suffix: 12.3k.</summary>
    public static string Short(double value)
    {
        int thousands = ThousandsOf(value);
        double scaled = value / Math.Pow(1000, thousands);
        string digits = Math.Abs(scaled) switch
        {
            0 => "0",
            < 0.001 => scaled.ToString("0.#E+0", CultureInfo.InvariantCulture),
            < 1 => scaled.ToString("0.####", CultureInfo.InvariantCulture),
            < 10 => scaled.ToString("0.##", CultureInfo.InvariantCulture),
            < 100 => scaled.ToString("0.#", CultureInfo.InvariantCulture),
            >= 999.5 when thousands == Suffixes.Length - 1 => value.ToString("0.##E+0", CultureInfo.InvariantCulture),
            _ => scaled.ToString("0", CultureInfo.InvariantCulture),
        };
        return digits.Contains('E', StringComparison.Ordinal) ? digits : digits + Suffixes[thousands];
    }

    /// <summary>Formats a tick of a linear axis with as many decimals as the distance of the ticks needs.</summary>
    /// <param name="value">The value of the tick.</param>
    /// <param name="step">The distance of the ticks.</param>
    /// <param name="largest">The tick with the largest magnitude. All ticks have its suffix.</param>
    public static string Tick(double value, double step, double largest)
    {
        int thousands = ThousandsOf(largest);
        double scale = Math.Pow(1000, thousands);
        if (value == 0)
        {
            return "0";
        }

        if (largest is < 0.001 or >= ExponentThreshold)
        {
            return Exponent(value);
        }

        const int MaxDecimals = 7;
        int decimals = 0;
        for (double rest = step / scale; decimals < MaxDecimals && Math.Abs(rest - Math.Round(rest)) > rest * 1e-6; rest *= 10)
        {
            decimals++;
        }

        return (value / scale).ToString("0." + new string('#', decimals), CultureInfo.InvariantCulture) + Suffixes[thousands];
    }

    /// <summary>Formats a rank in percent with all its digits.</summary>
    public static string Rank(double rank) => rank.ToString("0.############", CultureInfo.InvariantCulture);

    /// <summary>The width of a small letter, in the unit of widths, which is a quarter of a letter.</summary>
    private const int LetterWidth = 4;

    /// <summary>The maximum length of a text element. An element can have any number of combining marks, and such a name would cover the
    /// plot.</summary>
    private const int MaxElementLength = 16;

    private const int TooWide = 1 << 20;

    // Lines can end after these characters.
    private static readonly SearchValues<char> WordSigns = SearchValues.Create(".,:;/-_)+");

    private static int[] StartsOf(string text) => [.. StringInfo.ParseCombiningCharacters(text), text.Length];

    /// <summary>Returns the end of the elements that fit into a width.</summary>
    private static int TakeHead(string text, int[] starts, int width)
    {
        int head = 0;
        for (int used = 0; head < starts.Length - 1; head++)
        {
            used += WidthOf(text, starts, head);
            if (used > width)
            {
                break;
            }
        }

        return starts[head];
    }

    private static int WidthOf(string text, int[] starts, int element)
    {
        return starts[element + 1] - starts[element] > MaxElementLength ? TooWide : text[starts[element]] switch
        {
            >= '\u1100' => 2 * LetterWidth,
            'W' or 'M' or 'm' or 'w' or '@' or '%' => 7,
            >= 'A' and <= 'Z' or > '\u007f' => 5,
            _ => LetterWidth,
        };
    }

    private static int ThousandsOf(double value) =>
        Math.Abs(value) < 1000 ? 0 : Math.Min((int)Math.Floor((Math.Log10(Math.Abs(value)) / 3) + 1e-9), Suffixes.Length - 1);

    private static bool IsInvisible(Rune rune) => rune.Value is 0xFFFE or 0xFFFF or 0x2028 or 0x2029
        || Rune.GetUnicodeCategory(rune) is UnicodeCategory.Control
        || rune.Value is 0x061C or (>= 0x200E and <= 0x200F) or (>= 0x202A and <= 0x202E) or (>= 0x2066 and <= 0x2069);
}
