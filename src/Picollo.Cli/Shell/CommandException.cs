namespace Picollo.Cli.Shell;

/// <summary>Ends a command with an error message on standard error.</summary>
/// <param name="message">The message, without the name of the tool.</param>
internal sealed class CommandException(string message, int exitCode = ExitCodes.Failure) : Exception(message)
{
    public int ExitCode { get; } = exitCode;

    public static CommandException OfFile(string path, Exception problem) => new($"{path}: {FileProblemOf(problem)}");

    /// <summary>Returns a description of a file error without the path, which .NET appends to its messages.</summary>
    public static string FileProblemOf(Exception problem) => problem switch
    {
        FileNotFoundException or DirectoryNotFoundException => "No such file or directory",
        UnauthorizedAccessException => "Permission denied",
        _ => problem.Message.Split(" : '")[0],
    };

    /// <summary>Uses a file, and reports errors with its path. An empty path, such as from an unset shell variable, is a missing file; .NET
    /// would throw <see cref="ArgumentException"/>.</summary>
    public static T OnFile<T>(string path, Func<T> use)
    {
        try
        {
            return path.Length > 0 ? use() : throw new FileNotFoundException();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or InvalidDataException)
        {
            throw OfFile(path, e);
        }
    }
}

internal sealed class ClosedPipeException() : Exception("The reader of the output has closed the pipe.");

/// <summary>Exit codes of the tool. The help of each command lists their meanings.</summary>
internal static class ExitCodes
{
    public const int Success = 0;

    /// <summary>An input, an output or a measurement failed. A message on standard error explains the failure.</summary>
    public const int Failure = 1;

    public const int Usage = 2;
    public const int NotExecutable = 126;
    public const int NotFound = 127;

    /// <summary>128 + SIGPIPE: the reader of the output has closed the pipe. Nothing is printed.</summary>
    public const int ClosedPipe = 141;
}
