namespace Picollo.Cli.Shell;

/// <summary>Sentences in lines of 80 columns.</summary>
internal static class Wrapping
{
    private const int Width = 80;

    /// <summary>The lines, broken at blanks; a word that is longer than a line stays whole.</summary>
    public static IEnumerable<string> Wrap(string text)
    {
        string line = "";
        foreach (string word in text.Split(' '))
        {
            if (line.Length > 0 && line.Length + 1 + word.Length > Width)
            {
                yield return line;
                line = "";
            }

            line = line.Length == 0 ? word : $"{line} {word}";
        }

        yield return line;
    }
}
