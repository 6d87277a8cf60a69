namespace Picollo.Export.Text;

/// <summary>Fits text into a width. The width is in letters: the width of most small letters. Capitals are somewhat wider; East Asian
/// letters and emoji are twice as wide.</summary>
internal static class FittedText
{
    private const string Ellipsis = "…";

    /// <summary>The width of a small letter, in the unit of widths, which is a quarter of a letter.</summary>
    private const int LetterWidth = 4;

    /// <summary>The maximum length of a text element. An element can have any number of combining marks, and such a name would cover the
    /// plot.</summary>
    private const int MaxElementLength = 16;

    private const int TooWide = 1 << 20;

    // Lines can end after these characters.
    private static readonly SearchValues<char> WordSigns = SearchValues.Create(".,:;/-_)+");

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
    /// ellipsis between them.</summary>
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

    /// <summary>Returns a text on one line, shortened to a number of letters: its start and an ellipsis.</summary>
    public static string Cut(string text, int letters)
    {
        text = OneLine(text);
        int[] starts = StartsOf(text);
        return TakeHead(text, starts, letters * LetterWidth) == text.Length
            ? text
            : text[..TakeHead(text, starts, (letters - 1) * LetterWidth)] + Ellipsis;
    }

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
}

/// <summary>Shortens names that are shown together, and keeps the parts in which they differ.</summary>
internal static class FittedNames
{
    /// <summary>Returns each name on one line, shortened to a number of letters. The common start and end of all names are shortened first,
    /// and the rest only if that is not enough. Different names remain different; if necessary, a number is appended.</summary>
    /// <remarks>The width is as for <see cref="FittedText.Shorten"/>, 12 letters or more.</remarks>
    public static string[] From(IReadOnlyList<string> names, int letters)
    {
        string[] whole = [.. names.Select(FittedText.OneLine)];
        if (Array.TrueForAll(whole, name => FittedText.LettersOf(name) <= letters))
        {
            return whole;
        }

        string[] different = [.. whole.Distinct()];
        int head = different.Length == 1 ? 0 : Common(different, (name, i) => name[i], different.Min(name => name.Length));
        int tail = different.Length == 1 ? 0 : Common(different, (name, i) => name[^(i + 1)], different.Min(name => name.Length) - head);
        return Number(whole, name => Cut(name, head, tail, letters), letters);
    }

    private static int Common(string[] names, Func<string, int, char> letterAt, int most)
    {
        int length = 0;
        while (length < most && Array.TrueForAll(names, name => letterAt(name, length) == letterAt(names[0], length)))
        {
            length++;
        }

        return length;
    }

    // All names share a start with the length of the head and an end with the length of the tail.
    private static string Cut(string name, int head, int tail, int letters)
    {
        const int Least = 6; // fewer letters of a start or an end are meaningless
        (int from, int to) = FittedText.ElementsAround(name, head, name.Length - tail);
        int room = letters - FittedText.LettersOf(name[from..to]);
        if (FittedText.LettersOf(name) <= letters || from == 0 && to == name.Length || room < 2 * Least)
        {
            return FittedText.Shorten(name, letters);
        }

        // The start gets the space that the end leaves. The end gets a third of the space, or more if the start needs less.
        int forTail = Math.Max(room / 3, room - FittedText.LettersOf(name[..from]));
        string end = FittedText.Shorten(name[to..], forTail);
        return FittedText.Shorten(name[..from], room - FittedText.LettersOf(end)) + name[from..to] + end;
    }

    private static string[] Number(string[] whole, Func<string, string> cut, int letters)
    {
        Dictionary<string, string> ofWhole = new(StringComparer.Ordinal);
        HashSet<string> taken = new(StringComparer.Ordinal);
        Dictionary<string, int> numbers = new(StringComparer.Ordinal); // the last number after each part
        foreach (string name in whole.Distinct())
        {
            string first = cut(name);
            string part = first;
            while (!taken.Add(part))
            {
                int number = numbers[first] = numbers.GetValueOrDefault(first, 1) + 1;
                string suffix = string.Create(CultureInfo.InvariantCulture, $" ({number})");
                part = FittedText.Shorten(first, letters - suffix.Length) + suffix;
            }

            ofWhole[name] = part;
        }

        return [.. whole.Select(name => ofWhole[name])];
    }
}
