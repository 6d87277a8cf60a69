namespace Picollo.PerfEvent;

/// <summary>A counter that cannot be had on this machine, or not by this user: the message names the counter, the cause and the
/// remedy.</summary>
public sealed class PerfEventException : MeasurementUnavailableException
{
    internal PerfEventException(string? counterName, int errorNumber, string message)
        : base(message)
    {
        CounterName = counterName;
        ErrorNumber = errorNumber;
    }

    /// <summary>The counter, as <see cref="PerfEventCounter.Name"/> has it; null where it is not about one of them.</summary>
    public string? CounterName { get; }

    /// <summary>The error number of the system call (<c>errno</c>); 0 where none failed.</summary>
    public int ErrorNumber { get; }
}
