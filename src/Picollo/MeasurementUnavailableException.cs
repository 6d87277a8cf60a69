namespace Picollo;

/// <summary>The exception that is thrown when a measurement is not possible on this machine or in this process: the system call does not
/// exist, it is not permitted, or its target no longer exists. The message states the cause and, if there is one, the remedy.</summary>
/// <remarks>
/// <para>A measurement that is unavailable on some machines, or whose target may disappear, also has a <c>Try…</c> method that returns the
/// exception instead of throwing it. There is no <c>Try…</c> method for the times of the current thread and process: every supported system
/// reports them, unless a system call filter prevents it.</para>
/// <example>
/// <code>
/// catch (MeasurementUnavailableException e) when (e.Cause == MeasurementUnavailableCause.TargetNotFound)
/// {
///     watched.Remove(processId); // the process has exited
/// }
/// </code>
/// </example>
/// </remarks>
public sealed class MeasurementUnavailableException : Exception
{
    /// <summary>Creates the exception.</summary>
    /// <param name="message">The cause and, if there is one, the remedy.</param>
    /// <param name="cause">The cause.</param>
    /// <param name="errorNumber">The error number of the system; <see langword="null"/> if no system call failed.</param>
    /// <param name="innerException">The exception that caused this one; <see langword="null"/> if there is none.</param>
    public MeasurementUnavailableException(
        string message, MeasurementUnavailableCause cause, int? errorNumber = null, Exception? innerException = null)
        : base(message, innerException) => (Cause, ErrorNumber) = (cause, errorNumber);

    /// <summary>The cause, on which programs can branch.</summary>
    public MeasurementUnavailableCause Cause { get; }

    /// <summary>The error number of the system call that failed; <see langword="null"/> if none failed, or if its number is unknown. On
    /// Linux and macOS this is <c>errno</c>, such as 13 for <c>EACCES</c>; on Windows a system error code or an <c>NTSTATUS</c>, and for
    /// the machine's state on macOS a <c>kern_return_t</c>.</summary>
    public int? ErrorNumber { get; }
}

/// <summary>The cause of a <see cref="MeasurementUnavailableException"/>.</summary>
public enum MeasurementUnavailableCause
{
    /// <summary>The cause is not one of the others, or the system does not report enough to choose one of them. The message lists the
    /// possible causes.</summary>
    Unknown = 0,

    /// <summary>The system does not have what the measurement needs: another operating system, a kernel, a CPU or a virtual machine without
    /// the event or the call, or a file system that is not mounted (/proc, tracefs).</summary>
    NotSupported = 1,

    /// <summary>The user may not measure this target, a capability is missing, or a security module refuses the call.</summary>
    PermissionDenied = 2,

    /// <summary>The setting <c>kernel.perf_event_paranoid</c> of Linux does not permit this user to count or sample.</summary>
    PerfEventParanoid = 3,

    /// <summary>A seccomp filter, which is usual in containers, refuses the call.</summary>
    SeccompFilter = 4,

    /// <summary>The process, thread or CPU to measure does not exist, has ended or is offline, or is not available to this
    /// process.</summary>
    TargetNotFound = 5,

    /// <summary>A limit is reached: file descriptors, processes, memory, the sampling rate, or the counters of the CPU, which another
    /// program may hold. It may succeed later.</summary>
    LimitReached = 6,
}
