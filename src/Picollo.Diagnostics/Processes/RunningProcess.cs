using System.Diagnostics.CodeAnalysis;
using Picollo.Cpu;
using Picollo.Diagnostics.Linux;

namespace Picollo.Diagnostics;

/// <summary>Exactly the process that a sample of <see cref="SystemCpu"/> found, held so that no other with its id can take its place.
/// Linux 5.3.</summary>
/// <remarks>
/// <para>Ids are used again: between a sample and an answer to "end this one?" a process may end and its id be another's. So this holds a
/// descriptor (pidfd_open(2)) from before the question, and compares the start times: what is signalled is what was shown, or nothing
/// is.</para>
/// <para>Makes system calls, and allocates. Not thread-safe. Whether to ask first, or to refuse process 1, is the caller's.</para>
/// </remarks>
internal sealed class RunningProcess : IDisposable
{
    private readonly LinuxProcess _process;

    private RunningProcess(int id, LinuxProcess process) => (Id, _process) = (id, process);

    public int Id { get; }

    /// <summary>Takes hold of a process.</summary>
    /// <param name="process">As a sample found it.</param>
    /// <param name="running">The process, or null.</param>
    /// <param name="reason">Why not: it has ended (a zombie has), its id is another's by now, or the system has no such thing; null where
    /// it succeeded.</param>
    /// <returns>Whether it is still that process.</returns>
    public static bool TryOpen(
        in ProcessCpu process, [NotNullWhen(true)] out RunningProcess? running, [NotNullWhen(false)] out string? reason)
    {
        running = null;
        if (!OperatingSystem.IsLinux())
        {
            reason = "Processes are held by pidfd_open(2) of Linux; this is another system.";
        }
        else if (LinuxProcess.TryOpen(process.Id, process.StartNanoseconds, out LinuxProcess? held, out reason))
        {
            running = new RunningProcess(process.Id, held);
        }

        return running is not null;
    }

    /// <summary>Sends it a signal (pidfd_send_signal(2)).</summary>
    /// <param name="signal">The system's number, 1 to 64.</param>
    /// <param name="reason">Why not (ended, not permitted); null where it succeeded.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="signal"/> is not in that range.</exception>
    /// <exception cref="ObjectDisposedException">After <see cref="Dispose"/>.</exception>
    public bool TrySignal(int signal, [NotNullWhen(false)] out string? reason)
    {
        ObjectDisposedException.ThrowIf(_process.IsClosed, this);
        if (signal is < 1 or > 64)
        {
            throw new ArgumentOutOfRangeException(nameof(signal), signal, "Signals are numbered from 1 to 64.");
        }

        reason = _process.Signal(signal);
        return reason is null;
    }

    /// <summary>Changes the niceness of all its threads (setpriority(2)), of which Linux gives each its own.</summary>
    /// <param name="nice">-20 to 19.</param>
    /// <param name="reason">Why not (ended, not permitted), or why not all of them; null where it succeeded.</param>
    /// <remarks>Goes through the threads until all have it: one that begins meanwhile takes the niceness of the one that begins it. There
    /// is no such call that takes a descriptor: should a thread end within the microseconds between being listed and being changed, and
    /// its id be used again in them, another thread is changed.</remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="nice"/> is not in that range.</exception>
    /// <exception cref="ObjectDisposedException">After <see cref="Dispose"/>.</exception>
    public bool TrySetNice(int nice, [NotNullWhen(false)] out string? reason)
    {
        ObjectDisposedException.ThrowIf(_process.IsClosed, this);
        if (nice is < -20 or > 19)
        {
            throw new ArgumentOutOfRangeException(nameof(nice), nice, "Niceness goes from -20 to 19.");
        }

        reason = _process.SetNice(nice);
        return reason is null;
    }

    public void Dispose() => _process.Dispose();
}
