namespace Picollo.Cli.Record;

/// <summary>Writes the results of <c>picollo record</c>.</summary>
internal static class RecordFiles
{
    public static Action<Stream> Text(Action<TextWriter> write) => stream => OutputFile.WriteText(stream, write);

    /// <summary>Writes the files, and then the table, whose reader may have closed the pipe. Continues with the next file if one cannot be
    /// written.</summary>
    /// <param name="terminal">The terminal.</param>
    /// <param name="files">The files; the path is null if a file is not requested.</param>
    /// <param name="writeTable">A function that writes the table.</param>
    /// <param name="table">The writer for the table.</param>
    /// <param name="exitCode">The exit code if all files were written.</param>
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

    /// <returns>Null on success; otherwise, the error message.</returns>
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
