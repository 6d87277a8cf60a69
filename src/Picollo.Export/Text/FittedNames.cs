namespace Picollo.Export.Text;

/// <summary>Shortens names that are shown together, and keeps the parts in which they differ.</summary>
internal static class FittedNames
{
    /// <summary>Returns each name on one line, shortened to a number of letters. The common start and end of all names are shortened first,
    /// and the rest only if that is not enough. Different names remain different; if necessary, a number is appended.</summary>
    /// <param name="names">The names that are shown together.</param>
    /// <param name="letters">The width in letters, as for <see cref="FittedText.Shorten"/>; 12 or more.</param>
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

    /// <param name="name">The name.</param>
    /// <param name="head">The length of the start that all names share.</param>
    /// <param name="tail">The length of the end that all names share.</param>
    /// <param name="letters">The width in letters.</param>
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
