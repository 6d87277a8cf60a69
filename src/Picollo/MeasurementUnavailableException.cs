namespace Picollo;

/// <summary>The exception that is thrown when a measurement is not possible on this machine or in this process: the system call does not
/// exist, it is not permitted, or its target no longer exists. The message states the cause and, if there is one, the remedy.</summary>
/// <remarks>A measurement that is unavailable on some machines, or whose target may disappear, also has a <c>Try…</c> method that returns
/// the same text instead of throwing. There is no such method for the times of the current thread and process: every supported system
/// reports them, unless a system call filter prevents it.</remarks>
public sealed class MeasurementUnavailableException : NotSupportedException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">The cause and, if there is one, the remedy.</param>
    public MeasurementUnavailableException(string message)
        : base(message)
    {
    }

    /// <summary>Creates the exception with its inner exception.</summary>
    /// <param name="message">The cause and, if there is one, the remedy.</param>
    /// <param name="innerException">The exception that caused this one; <see langword="null"/> if there is none.</param>
    public MeasurementUnavailableException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }

    /// <summary>The error number of the system (<c>errno</c>) if it refused to create or control an event of a counter or a profiler, such
    /// as 13 for <c>EACCES</c>; <see langword="null"/> for other causes.</summary>
    public int? ErrorNumber { get; internal init; }
}
