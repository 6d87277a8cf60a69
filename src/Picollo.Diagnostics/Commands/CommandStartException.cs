namespace Picollo.Diagnostics;

/// <summary>The command could not be executed: there is no such program, or this user may not execute it.</summary>
public sealed class CommandStartException : Exception
{
    internal CommandStartException(MeasuredCommand command, string reason, bool isNotFound)
        : base($"{command.ArgumentList[0]}: {reason}") => IsNotFound = isNotFound;

    /// <summary>Whether there is no such program: exit code 127 of a shell, where any other reason is 126.</summary>
    public bool IsNotFound { get; }
}
