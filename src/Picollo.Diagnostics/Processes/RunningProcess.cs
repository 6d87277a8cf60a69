using System.Diagnostics.CodeAnalysis;
using Picollo.Cpu;
using Picollo.Diagnostics.Linux;

namespace Picollo.Diagnostics;

/// <summary>A handle to a process that a sample of <see cref="SystemCpu"/> found. It cannot refer to another process that reuses the ID.
/// Requires Linux 5.3.</summary>
/// <remarks>
/// <para>Systems reuse process IDs: while a user answers "end this process?", the process can exit and another process can get its ID. This
/// class therefore opens a descriptor (pidfd_open(2)) before the question and compares the start times. A signal goes to the process that
/// was shown, or to none.</para>
/// <para>Makes system calls, and allocates. Not thread-safe. The caller decides whether to ask first, or to refuse process 1.</para>
/// </remarks>
internal sealed class RunningProcess : IDisposable
{
    private readonly LinuxProcess _process;

    private RunningProcess(int id, LinuxProcess process) => (Id, _process) = (id, process);

    public int Id { get; }

    /// <summary>Opens a process.</summary>
    /// <param name="process">The process as a sample found it.</param>
    /// <param name="running">The opened process; null on failure.</param>
    /// <param name="reason">The reason for the failure: the process has exited (a zombie counts as exited), another process now has its ID,
    /// or the system does not support it; null on success.</param>
    /// <returns><see langword="true"/> if the process was opened; otherwise, <see langword="false"/>.</returns>
    public static bool TryOpen(
        in ProcessCpu process, [NotNullWhen(true)] out RunningProcess? running, [NotNullWhen(false)] out string? reason)
    {
        running = null;
        if (!OperatingSystem.IsLinux())
        {
            reason = "Sending signals and changing the niceness require pidfd_open(2), which exists only on Linux.";
        }
        else if (LinuxProcess.TryOpen(process.Id, process.StartNanoseconds, out LinuxProcess? held, out reason))
        {
            running = new RunningProcess(process.Id, held);
        }

        return running is not null;
    }

    /// <summary>Sends the process a signal (pidfd_send_signal(2)).</summary>
    /// <param name="signal">The system's signal number, 1 to 64.</param>
    /// <param name="reason">The reason for the failure (the process has exited, or the call is not permitted); null on success.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="signal"/> is outside its range.</exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public bool TrySignal(int signal, [NotNullWhen(false)] out string? reason)
    {
        ObjectDisposedException.ThrowIf(_process.IsClosed, this);
        if (signal is < 1 or > 64)
        {
            throw new ArgumentOutOfRangeException(nameof(signal), signal, "The signal must be from 1 to 64.");
        }

        reason = _process.Signal(signal);
        return reason is null;
    }

    /// <summary>Changes the niceness of all threads of the process (setpriority(2)). On Linux, each thread has its own niceness.</summary>
    /// <param name="nice">The niceness, -20 to 19.</param>
    /// <param name="reason">The reason why not all threads were changed (the process has exited, or the call is not permitted); null on
    /// success.</param>
    /// <remarks>Iterates over the threads until all have the niceness. A thread that starts in the meantime inherits the niceness of its
    /// creator. The system call does not accept a descriptor: if a thread ends within the microseconds between being listed and being
    /// changed, and its ID is reused in that time, another thread is changed.</remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="nice"/> is outside its range.</exception>
    /// <exception cref="ObjectDisposedException">The object is disposed.</exception>
    public bool TrySetNice(int nice, [NotNullWhen(false)] out string? reason)
    {
        ObjectDisposedException.ThrowIf(_process.IsClosed, this);
        if (nice is < -20 or > 19)
        {
            throw new ArgumentOutOfRangeException(nameof(nice), nice, "The niceness must be from -20 to 19.");
        }

        reason = _process.SetNice(nice);
        return reason is null;
    }

    public void Dispose() => _process.Dispose();
}
