using System.Globalization;
using System.Text;
using Picollo.Cli.Shell;

namespace Picollo.Cli.Hist;

/// <summary>What becomes of a line that is no number: the end, or, if they are to be skipped, a place among those told at the
/// end.</summary>
internal sealed class BadLines(bool areSkipped)
{
    private const int MostTold = 3;
    private const int MostBytes = 40;

    private readonly List<string> _told = [];

    public ulong Count { get; private set; }

    /// <summary>Notes a line, or ends the command.</summary>
    /// <param name="input">The input's name.</param>
    /// <param name="line">From 1.</param>
    /// <param name="problem">What is wrong.</param>
    /// <param name="text">What stands there instead; empty where that says nothing.</param>
    public void Add(string input, ulong line, string problem, ReadOnlySpan<byte> text = default)
    {
        if (areSkipped && _told.Count == MostTold)
        {
            Count++;
            return;
        }

        string told = string.Create(CultureInfo.InvariantCulture, $"{input}: line {line}: {problem}{Quoted(text)}");
        if (!areSkipped)
        {
            throw new CommandException(told);
        }

        Count++;
        _told.Add(told);
    }

    /// <summary>Tells how many there are, and the first of them.</summary>
    public void Tell(TextWriter error)
    {
        if (Count == 0)
        {
            return;
        }

        error.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"picollo: {Count:N0} {(Count == 1 ? "line" : "lines")} skipped{(Count > MostTold ? ", the first of them" : "")}:"));
        foreach (string told in _told)
        {
            error.WriteLine($"  {ForeignText.Clean(told)}");
        }
    }

    private static string Quoted(ReadOnlySpan<byte> text)
    {
        text = text.Trim(" \t\r"u8);
        return text.IsEmpty ? ""
            : text.Length <= MostBytes ? $": '{Encoding.UTF8.GetString(text)}'"
            : $": '{Encoding.UTF8.GetString(text[..MostBytes])}…'";
    }
}
