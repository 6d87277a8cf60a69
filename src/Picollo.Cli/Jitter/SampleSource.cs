namespace Picollo.Cli.Jitter;

/// <summary>The location of saved samples, and the unit of their latencies, which the file does not contain.</summary>
/// <param name="Path">The path of the file, or <see cref="StandardInput"/>.</param>
/// <param name="UnitNanoseconds">The unit: 1 for nanoseconds, 1,000 for microseconds.</param>
internal sealed record SampleSource(string Path, ulong UnitNanoseconds)
{
    public const string StandardInput = "-";

    private const ulong Microseconds = 1000;

    /// <summary>The unit as a suffix of a column name.</summary>
    public string UnitName => UnitNanoseconds == 1 ? "ns" : "us";

    /// <summary>Finds the sample file in a folder of results, or uses the specified file.</summary>
    /// <param name="path">The path of a file or folder, or <see cref="StandardInput"/>.</param>
    /// <param name="inNanoseconds">Whether the unit is nanoseconds. Otherwise, the unit is read from the results in the same folder; it
    /// defaults to microseconds.</param>
    /// <exception cref="CommandException">The results are damaged.</exception>
    public static SampleSource Find(string path, bool inNanoseconds)
    {
        string file = Directory.Exists(path) ? System.IO.Path.Combine(path, SampleFile.Name) : path;
        bool hasResults = System.IO.Path.GetFileName(file) == SampleFile.Name;
        ulong? unit = inNanoseconds ? 1 : hasResults ? SavedResults.UnitOf(System.IO.Path.GetDirectoryName(file)!) : null;
        return new(file, unit ?? Microseconds);
    }

    /// <summary>Opens the samples.</summary>
    /// <exception cref="CommandException">The file cannot be opened.</exception>
    public SampleReader Open(Terminal terminal)
    {
        try
        {
            CommandException.ThrowIfEmpty(Path);
            return Path == StandardInput
                ? new(terminal.OpenInput(), "standard input", UnitNanoseconds)
                : new(new FileStream(Path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete), Path, UnitNanoseconds);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw CommandException.OfFile(Path, e);
        }
    }
}
