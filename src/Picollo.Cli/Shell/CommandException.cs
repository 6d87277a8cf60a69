namespace Picollo.Cli.Shell;

/// <summary>Ends a command with a line on standard error.</summary>
/// <param name="message">The line, without the tool's name.</param>
internal sealed class CommandException(string message, int exitCode = ExitCodes.Failure) : Exception(message)
{
    public int ExitCode { get; } = exitCode;

    /// <summary>An exception that says what is wrong with a file.</summary>
    public static CommandException OfFile(string path, Exception problem, int exitCode = ExitCodes.Failure) =>
        new($"{path}: {FileProblemOf(problem)}", exitCode);

    /// <summary>What is wrong with a file, without its path, which .NET's messages have in full and at the end.</summary>
    public static string FileProblemOf(Exception problem) => problem switch
    {
        FileNotFoundException or DirectoryNotFoundException => "No such file or directory",
        UnauthorizedAccessException => "Permission denied",
        _ => problem.Message.Split(" : '")[0],
    };

    /// <summary>Reports an empty path, such as that of an empty shell variable, as a missing file. .NET takes it for a bug of its
    /// caller.</summary>
    public static void ThrowIfEmpty(string path)
    {
        if (path.Length == 0)
        {
            throw new FileNotFoundException();
        }
    }
}

/// <summary>The reader of the output has closed the pipe.</summary>
internal sealed class ClosedPipeException() : Exception("The output's reader has closed the pipe.");

/// <summary>Exit codes of the tool; the help of each command says what they mean there.</summary>
internal static class ExitCodes
{
    public const int Success = 0;

    /// <summary>Something could not be read, written or measured; a line on standard error says what.</summary>
    public const int Failure = 1;

    /// <summary>The command line is not understood.</summary>
    public const int Usage = 2;

    /// <summary>A command that was to be started cannot be executed.</summary>
    public const int NotExecutable = 126;

    /// <summary>A command that was to be started does not exist.</summary>
    public const int NotFound = 127;

    /// <summary>128 + SIGPIPE: the reader of the output has closed the pipe. Nothing is printed.</summary>
    public const int ClosedPipe = 141;
}
