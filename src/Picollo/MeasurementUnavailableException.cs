namespace Picollo;

/// <summary>
/// What this machine, system or process cannot measure: the call does not exist here, is not permitted, or what it asked about
/// is gone. The message says which, and what can be done about it where something can.
/// </summary>
/// <remarks>Each method that throws it has a <c>Try…</c> form that gives the same text without throwing.</remarks>
public class MeasurementUnavailableException : NotSupportedException
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">The cause, and the remedy where there is one.</param>
    public MeasurementUnavailableException(string message)
        : base(message)
    {
    }
}
