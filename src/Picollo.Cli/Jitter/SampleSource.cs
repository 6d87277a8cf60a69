namespace Picollo.Cli.Jitter;

/// <summary>Saved samples: where they are, and the unit of their latencies, which the file does not contain.</summary>
/// <param name="Path">The path of the file, or <see cref="StandardInput"/>.</param>
/// <param name="UnitNanoseconds">1 for nanoseconds, 1,000 for microseconds.</param>
internal sealed record SampleSource(string Path, ulong UnitNanoseconds)
{
    public const string StandardInput = "-";

    private const ulong Microseconds = 1000;

    /// <summary>The unit for the name of a column.</summary>
    public string UnitName => UnitNanoseconds == 1 ? "ns" : "us";

    /// <summary>Finds the samples of a folder of results, or takes a file as it is.</summary>
    /// <param name="path">A file, a folder, or <see cref="StandardInput"/>.</param>
    /// <param name="inNanoseconds">Whether the unit is known to be nanoseconds; otherwise it is the one of the results in the same folder,
    /// or microseconds.</param>
    /// <exception cref="CommandException">The results are damaged.</exception>
    public static SampleSource Find(string path, bool inNanoseconds)
    {
        string file = Directory.Exists(path) ? System.IO.Path.Combine(path, SampleFile.Name) : path;
        bool hasResults = System.IO.Path.GetFileName(file) == SampleFile.Name;
        ulong? unit = inNanoseconds ? 1 : hasResults ? SavedResults.UnitOf(System.IO.Path.GetDirectoryName(file)!) : null;
        return new(file, unit ?? Microseconds);
    }

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
