namespace Picollo.Cli.Jitter;

/// <summary>Lines that are shown again and again: on a terminal in their place, elsewhere one block after the other.</summary>
internal sealed class LinesInPlace(TextWriter output)
{
    private int _shown; // lines above the cursor that are ours

    /// <summary>Shows them.</summary>
    /// <param name="lines">As many each time.</param>
    /// <param name="window">The terminal's size now; null where lines are not to be rewritten. Where it has no room for all of them they
    /// are not either, as those that have left it cannot be reached.</param>
    public void Show(IReadOnlyList<string> lines, (int Columns, int Rows)? window)
    {
        bool inPlace = window is { } size && lines.Count < size.Rows;
        if (inPlace && _shown > 0)
        {
            // To the line's begin first: where ^C was typed the terminal has echoed it.
            output.Write(FormattableString.Invariant($"\r\e[{_shown}A"));
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

    /// <summary>Somebody else writes to the terminal: what is shown stays there, and the next lines come below.</summary>
    public void Leave() => _shown = 0;
}
