namespace Picollo;

/// <summary>What this machine, system or process cannot measure: the call does not exist here, is not permitted, or what it asked about is
/// gone. The message says which, and what can be done about it where something can.</summary>
/// <remarks>What asks about something that comes and goes, or that some machines lack, has a <c>Try…</c> form that gives the same text
/// without throwing. The times of the current thread and process have none: a supported system tells them, unless a filter of system
/// calls keeps it from doing so.</remarks>
public sealed class MeasurementUnavailableException : NotSupportedException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">The cause, and the remedy where there is one.</param>
    public MeasurementUnavailableException(string message)
        : base(message)
    {
    }

    /// <summary>Creates the exception with the one that caused it.</summary>
    /// <param name="message">The cause, and the remedy where there is one.</param>
    /// <param name="innerException">The exception that caused this one; <see langword="null"/> if there is none.</param>
    public MeasurementUnavailableException(string message, Exception? innerException)
        : base(message, innerException)
    {
    }
}
