namespace Picollo.Diagnostics;

/// <summary>The command could not be executed: there is no such program, or it is none that this user may execute.</summary>
public sealed class CommandStartException : Exception
{
    internal CommandStartException(MeasuredCommand command, string reason, bool isNotFound)
        : base($"{command.ArgumentList[0]}: {reason}") => IsNotFound = isNotFound;

    /// <summary>Whether there is no such program: what a shell tells by 127, and all else by 126.</summary>
    public bool IsNotFound { get; }
}
