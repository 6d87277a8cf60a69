namespace Picollo.Cli.Record;

/// <summary>Writes the results of <c>picollo record</c>.</summary>
internal static class RecordFiles
{
    public static Action<Stream> Text(Action<TextWriter> write) => stream => OutputFile.WriteText(stream, write);

    /// <summary>Writes the files and then the table, whose reader may have ended. A file that cannot be written keeps no other from being
    /// written.</summary>
    /// <param name="terminal">The terminal.</param>
    /// <param name="files">The files; null for the path of one that is not requested.</param>
    /// <param name="writeTable">Writes the table.</param>
    /// <param name="table">Where it is written to.</param>
    /// <param name="exitCode">The exit code if all files can be written.</param>
    /// <returns>The exit code.</returns>
    public static int Write(
        Terminal terminal,
        (string? Path, Action<Stream> Write)[] files,
        Action<TextWriter> writeTable,
        TextWriter table,
        int exitCode)
    {
        string?[] problems = [.. files.Select(file => file.Path is null ? null : TryWrite(file.Path, file.Write))];
        writeTable(table);
        table.Flush();
        foreach ((string? path, string? problem) in files.Select(file => file.Path).Zip(problems))
        {
            if (problem is null)
            {
                terminal.ReportWritten(path);
            }
            else
            {
                terminal.Error.WriteLine(ForeignText.Clean($"picollo: {problem}"));
            }
        }

        return Array.TrueForAll(problems, problem => problem is null) ? exitCode : ExitCodes.Failure;
    }

    /// <returns>Null, or why it could not be written.</returns>
    private static string? TryWrite(string path, Action<Stream> write)
    {
        try
        {
            OutputFile.Write(path, write);
            return null;
        }
        catch (CommandException e)
        {
            return e.Message;
        }
    }
}
