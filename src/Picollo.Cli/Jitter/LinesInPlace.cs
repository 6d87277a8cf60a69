namespace Picollo.Cli.Jitter;

/// <summary>Lines that are updated: on a terminal they are rewritten in place, elsewhere one block follows the other.</summary>
internal sealed class LinesInPlace(TextWriter output)
{
    private int _shown; // lines above the cursor that are ours

    /// <summary>Shows the lines.</summary>
    /// <param name="lines">The same number each time.</param>
    /// <param name="window">The terminal's current size; null if lines are not to be rewritten. They are not either if the terminal has too
    /// few rows, as lines that were scrolled out cannot be rewritten.</param>
    public void Show(IReadOnlyList<string> lines, (int Columns, int Rows)? window)
    {
        bool inPlace = window is { } size && lines.Count < size.Rows;
        if (inPlace && _shown > 0)
        {
            // To the start of the line first: the terminal echoes ^C.
            output.Write(Invariant($"\r\e[{_shown}A"));
        }

        foreach (string line in lines)
        {
            // A line that is wider would take two rows.
            output.Write(inPlace && line.Length >= window!.Value.Columns ? line[..(window.Value.Columns - 1)] : line);
            output.Write(inPlace ? "\e[K\n" : "\n");
        }

        output.Write(inPlace ? "\e[J" : "");
        output.Flush();
        _shown = inPlace ? lines.Count : 0;
    }

    /// <summary>Leaves the lines where they are, because other text follows; the next lines come below.</summary>
    public void Leave() => _shown = 0;
}
