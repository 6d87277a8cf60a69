namespace Picollo.Cli.Shell;

/// <summary>Ends a command with a line on standard error.</summary>
/// <param name="message">The line, without the tool's name.</param>
/// <param name="exitCode">What the tool ends with.</param>
internal sealed class CommandException(string message, int exitCode = ExitCodes.Failure) : Exception(message)
{
    public int ExitCode { get; } = exitCode;
}

/// <summary>Nobody reads the output any more.</summary>
internal sealed class ClosedPipeException() : Exception("The output's reader has closed the pipe.");
