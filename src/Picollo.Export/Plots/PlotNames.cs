namespace Picollo.Export.Plots;

/// <summary>Shortens names that stand together, so that what they differ in stays.</summary>
internal static class PlotNames
{
    /// <summary>Each name on one line, cut to the width of a number of letters. What is cut is what all names begin with and end with; only
    /// if that is not enough, the rest. Names that differ stay different: the last resort is a number after them.</summary>
    /// <param name="names">The names that a reader sees together.</param>
    /// <param name="letters">As for <see cref="PlotText.Shorten"/>; 12 at least.</param>
    public static string[] Shorten(IReadOnlyList<string> names, int letters)
    {
        string[] whole = [.. names.Select(PlotText.OneLine)];
        if (Array.TrueForAll(whole, name => PlotText.LettersOf(name) <= letters))
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

    /// <param name="name">The name.</param>
    /// <param name="head">How much of its beginning all names have.</param>
    /// <param name="tail">How much of its end all names have.</param>
    /// <param name="letters">The width.</param>
    private static string Cut(string name, int head, int tail, int letters)
    {
        const int Least = 6; // fewer letters of a beginning or an end say nothing
        (int from, int to) = PlotText.ElementsAround(name, head, name.Length - tail);
        int room = letters - PlotText.LettersOf(name[from..to]);
        if (PlotText.LettersOf(name) <= letters || from == 0 && to == name.Length || room < 2 * Least)
        {
            return PlotText.Shorten(name, letters);
        }

        // The beginning takes what the end leaves: a third of the room, or more if the beginning needs less.
        int forTail = Math.Max(room / 3, room - PlotText.LettersOf(name[..from]));
        string end = PlotText.Shorten(name[to..], forTail);
        return PlotText.Shorten(name[..from], room - PlotText.LettersOf(end)) + name[from..to] + end;
    }

    private static string[] Number(string[] whole, Func<string, string> cut, int letters)
    {
        Dictionary<string, string> ofWhole = new(StringComparer.Ordinal);
        HashSet<string> taken = new(StringComparer.Ordinal);
        Dictionary<string, int> numbers = new(StringComparer.Ordinal); // the last one after each part
        foreach (string name in whole.Distinct())
        {
            string first = cut(name);
            string part = first;
            while (!taken.Add(part))
            {
                int number = numbers[first] = numbers.GetValueOrDefault(first, 1) + 1;
                string suffix = string.Create(CultureInfo.InvariantCulture, $" ({number})");
                part = PlotText.Shorten(first, letters - suffix.Length) + suffix;
            }

            ofWhole[name] = part;
        }

        return [.. whole.Select(name => ofWhole[name])];
    }
}
