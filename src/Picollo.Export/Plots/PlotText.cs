using System.Buffers;
using System.Text;

namespace Picollo.Export.Plots;

/// <summary>Text and numbers as they stand in SVG and HTML.</summary>
internal static class PlotText
{
    private const string Ellipsis = "…";
    private static readonly string[] Suffixes = ["", "k", "M", "G", "T", "P", "E"];

    /// <summary>Encodes a text for an element or a quoted attribute, of XML and of HTML alike.</summary>
    /// <remarks>What XML 1.0 does not allow, and what would turn the text around it about, becomes U+FFFD: there is no way to encode
    /// the one, and the other would let a name disguise itself.</remarks>
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

    /// <summary>The width of a text in letters.</summary>
    public static int LettersOf(string text)
    {
        int[] starts = StartsOf(text);
        int width = 0;
        for (int i = 0; i < starts.Length - 1 && width < FitsNowhere; i++)
        {
            width += WidthOf(text, starts, i);
        }

        return (width + LetterWidth - 1) / LetterWidth;
    }

    /// <summary>The nearest boundaries of what a reader takes for a letter, around a part of a text.</summary>
    public static (int From, int To) ElementsAround(string text, int from, int to)
    {
        int[] starts = StartsOf(text);
        return (starts.Last(start => start <= from), starts.First(start => start >= to));
    }

    /// <summary>Lines of a text, each no wider than a number of letters: between words, or after the last sign in a word that is too
    /// long.</summary>
    public static IReadOnlyList<string> Wrap(string text, int letters)
    {
        List<string> lines = [];
        while (LettersOf(text) > letters)
        {
            int end = TakeHead(text, StartsOf(text), letters * LetterWidth);
            if (end == 0)
            {
                break; // one letter that fits nowhere
            }

            int space = text.LastIndexOf(' ', end);
            int sign = text.AsSpan(0, end).LastIndexOfAny(WordSigns) + 1;
            int cut = space > end / 2 ? space : sign > end / 2 ? sign : end;
            lines.Add(text[..cut]);
            text = text[cut..].TrimStart(' ');
        }

        return [.. lines, text];
    }

    /// <summary>A text on one line, cut to the width of a number of letters: its start and its end, where names differ, and an ellipsis
    /// between. A letter is as wide as most small ones; capitals take somewhat more, and East Asian letters and emoji twice as
    /// much.</summary>
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

    /// <summary>A text on one line, cut to the width of a number of letters, as <see cref="Shorten"/> counts them: its start and an
    /// ellipsis.</summary>
    public static string Cut(string text, int letters)
    {
        text = OneLine(text);
        int[] starts = StartsOf(text);
        return TakeHead(text, starts, letters * LetterWidth) == text.Length
            ? text
            : text[..TakeHead(text, starts, (letters - 1) * LetterWidth)] + Ellipsis;
    }

    /// <summary>From here on a value has an exponent: ten times the largest recorded value.</summary>
    private const double TooLong = 1e21;

    /// <summary>Whether a number is written with decimals: it is neither so small that they are zeros, nor very large.</summary>
    public static bool HasPlaces(double value, int decimals) => Math.Round(value, decimals) != 0 && Math.Abs(value) < TooLong;

    /// <summary>A very small or very large number.</summary>
    public static string Exponent(double value) => value.ToString("0.###E+0", CultureInfo.InvariantCulture);

    /// <summary>A value in full, with up to four digits after the point where it is small.</summary>
    public static string Value(double value) => Math.Abs(value) switch
    {
        0 => "0",
        < 0.001 or >= TooLong => Exponent(value),
        < 1000 => value.ToString("0.####", CultureInfo.InvariantCulture),
        _ => value.ToString("#,##0.##", CultureInfo.InvariantCulture),
    };

    /// <summary>A recorded value in its unit: every digit of it where that is its own.</summary>
    public static string Value(ulong value, double unitRatio) =>
        unitRatio == 1 ? value.ToString("N0", CultureInfo.InvariantCulture) : Value(value / unitRatio);

    /// <summary>A value with three digits and a suffix: 12.3k.</summary>
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

    /// <summary>A tick of a linear axis, with as many digits as its distance from the next one has.</summary>
    /// <param name="value">The tick.</param>
    /// <param name="step">The distance of the ticks.</param>
    /// <param name="largest">The tick that is farthest from 0, whose suffix all of them have.</param>
    public static string Tick(double value, double step, double largest)
    {
        int thousands = ThousandsOf(largest);
        double scale = Math.Pow(1000, thousands);
        if (value == 0)
        {
            return "0";
        }

        if (largest is < 0.001 or >= TooLong)
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

    /// <summary>A rank in percent with the digits that it has.</summary>
    public static string Rank(double rank) => rank.ToString("0.############", CultureInfo.InvariantCulture);

    /// <summary>The width of a small letter, in the quarters of one that widths are counted in.</summary>
    private const int LetterWidth = 4;

    /// <summary>Combining marks without end make one element of a text: a name of them would tower over the plot.</summary>
    private const int MaxElementLength = 16;

    private const int FitsNowhere = 1 << 20;

    // A line may end after these.
    private static readonly SearchValues<char> WordSigns = SearchValues.Create(".,:;/-_)+");

    private static int[] StartsOf(string text) => [.. StringInfo.ParseCombiningCharacters(text), text.Length];

    /// <summary>Where the elements end that fit into a width.</summary>
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
        return starts[element + 1] - starts[element] > MaxElementLength ? FitsNowhere : text[starts[element]] switch
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
