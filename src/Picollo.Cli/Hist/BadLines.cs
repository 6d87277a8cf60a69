namespace Picollo.Cli.Hist;

/// <summary>Handles lines that are not numbers: fails on the first one, or skips them and reports the first few at the end.</summary>
internal sealed class BadLines(bool areSkipped)
{
    private const int MaxReported = 3;
    private const int MaxBytes = 40;

    private readonly List<string> _first = [];

    public ulong Count { get; private set; }

    /// <summary>Records an invalid line. Ends the command if invalid lines are not skipped.</summary>
    /// <param name="line">The line number, starting at 1.</param>
    /// <param name="text">The text that is not a number; empty to omit it from the message.</param>
    public void Add(string input, ulong line, string problem, ReadOnlySpan<byte> text = default)
    {
        if (!areSkipped || _first.Count < MaxReported)
        {
            string report = $"{input}: line {line}: {problem}{Quoted(text)}";
            if (!areSkipped)
            {
                throw new CommandException(report);
            }

            _first.Add(report);
        }

        Count++;
    }

    public void Report(TextWriter error)
    {
        if (Count == 0)
        {
            return;
        }

        string lines = Count == 1 ? "line" : "lines";
        error.WriteLine(Invariant($"picollo: {Count:N0} {lines} skipped{(Count > MaxReported ? "; the first ones" : "")}:"));
        _first.ForEach(report => error.WriteLine($"  {ForeignText.Clean(report)}"));
    }

    private static string Quoted(ReadOnlySpan<byte> text)
    {
        text = text.Trim(" \t\r"u8);
        string end = text.Length > MaxBytes ? "…" : "";
        return text.IsEmpty ? "" : $": '{Encoding.UTF8.GetString(text[..Math.Min(text.Length, MaxBytes)])}{end}'";
    }
}
