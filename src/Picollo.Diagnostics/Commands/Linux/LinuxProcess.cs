using System.Diagnostics.CodeAnalysis;
using Microsoft.Win32.SafeHandles;
using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Diagnostics.Commands.Linux;

/// <summary>A process by its descriptor (pidfd_open(2)), which never refers to another process.</summary>
/// <remarks>Systems reuse process IDs: while a user answers "end this process?", the process can exit and another process can get its ID. A
/// caller therefore opens the process before the question, with the start time that was shown. A signal goes to this process or to
/// none.</remarks>
internal sealed unsafe class LinuxProcess : SafeHandleMinusOneIsInvalid
{
    /// <summary>The maximum number of passes. Threads inherit the niceness of their creators, so the second pass finds threads whose
    /// creators the first pass had not reached yet. More are needed only if another program changes the threads back.</summary>
    private const int NicePasses = 10;

    private LinuxProcess(int id, int file)
        : base(ownsHandle: true)
    {
        Id = id;
        SetHandle(file);
    }

    public int Id { get; }

    /// <summary>Whether all threads of the process have ended, even if its parent has not waited for it.</summary>
    public bool HasEnded
    {
        get
        {
            ObjectDisposedException.ThrowIf(IsClosed, this);
            var poll = new LibC.PollFd { File = (int)handle, Events = LibC.POLLIN };
            return LibC.poll(&poll, 1, 0) > 0;
        }
    }

    /// <summary>Opens a process. If <paramref name="startNanoseconds"/>, the expected start time, is null, opens the process that has the
    /// ID now.</summary>
    public static bool TryOpen(
        int id,
        long? startNanoseconds,
        [NotNullWhen(true)] out LinuxProcess? process,
        [NotNullWhen(false)] out MeasurementUnavailableException? failure)
    {
        process = null;
        if (!OperatingSystem.IsLinux())
        {
            failure = new(
                "Sending signals and changing the niceness require pidfd_open(2), which exists only on Linux.",
                MeasurementUnavailableCause.NotSupported);
            return false;
        }

        if (LinuxTasks.OwnIdIn("/proc") is var own && own != Environment.ProcessId)
        {
            failure = own is null
                ? LinuxReasons.NotRead(LinuxReasons.NoProc, MeasurementUnavailableCause.NotSupported)
                : new(LinuxReasons.OtherNamespace, MeasurementUnavailableCause.NotSupported);
            return false;
        }

        int file = (int)LibC.syscall(LibC.SYS_pidfd_open, id, 0, 0);
        if (file < 0)
        {
            failure = OpenFailure(id);
            return false;
        }

        // The order matters: the descriptor shows that the process still exists after the start time was read, so it had the ID at that
        // time.
        process = new LinuxProcess(id, file);
        long? start = StartOf(id);
        failure = process.HasEnded ? CpuTimeReasons.ProcessEnded(id)
            : start is null ? LinuxReasons.HiddenProcess(id)
            : startNanoseconds is null || start == startNanoseconds ? null
            : new($"Process {id} has exited, and another process now has its ID.", MeasurementUnavailableCause.TargetNotFound);
        if (failure is not null)
        {
            process.Dispose();
            process = null;
        }

        return process is not null;
    }

    /// <summary>Sends a signal (pidfd_send_signal(2)). Returns the reason for a failure; null on success.</summary>
    public string? Signal(int signal) => HasEnded ? CpuTimeReasons.ProcessEnded(Id).Message
        : LibC.syscall(LibC.SYS_pidfd_send_signal, handle, signal, 0, 0, 0) == 0 ? null
        : Marshal.GetLastPInvokeError() switch
        {
            Errno.ESRCH => CpuTimeReasons.ProcessEnded(Id).Message,
            Errno.EPERM => $"Process {Id} belongs to another user: {LinuxRights.Read().Remedy(LinuxCapability.KILL)}.",
            var error => CpuTimeReasons.CallFailed("pidfd_send_signal", error).Message,
        };

    /// <summary>Changes the niceness of all threads (setpriority(2)). On Linux, each thread has its own niceness.</summary>
    /// <returns>The reason why not all threads were changed; null on success.</returns>
    /// <remarks>The system call does not accept a descriptor: if a thread ends within the microseconds between being listed and being
    /// changed, and its ID is reused in that time, another thread is changed.</remarks>
    public string? SetNice(int nice)
    {
        var tasks = new LinuxTasks("/proc");
        var sample = new SystemCpuSample();
        for (int pass = 0; pass < NicePasses; pass++)
        {
            sample.Clear();
            tasks.ReadThreadsOf(Id, sample);

            // This check happens after the list was read, so the list is that of this process.
            if (HasEnded)
            {
                return CpuTimeReasons.ProcessEnded(Id).Message;
            }

            bool isDone = true;
            foreach (ref readonly TaskSample thread in sample.Threads.Items)
            {
                if (thread.Shown.Nice == nice)
                {
                    continue;
                }

                isDone = false;
                if (LibC.setpriority(LibC.PRIO_PROCESS, (uint)thread.Id, nice) != 0
                    && Marshal.GetLastPInvokeError() is not Errno.ESRCH and var error)
                {
                    return NiceFailure(error);
                }
            }

            if (isDone)
            {
                return sample.Threads.Count > 0 ? null : LinuxReasons.Hidden;
            }
        }

        return $"Some threads of process {Id} have a different niceness again: another program is changing it.";
    }

    protected override bool ReleaseHandle() => LibC.close((int)handle) == 0;

    private static long? StartOf(int id) =>
        ProcTaskStat.TryRead(id, stackalloc byte[ProcTaskStat.MaxLength], out ProcTaskStat stat) ? stat.LatestStartNanoseconds : null;

    // An ID that is not a process can be a thread of another process.
    private static MeasurementUnavailableException OpenFailure(int id)
    {
        int error = Marshal.GetLastPInvokeError();
        return error switch
        {
            Errno.ESRCH or Errno.ENOENT or Errno.EINVAL => CpuTimeReasons.NoProcess(id, error),
            Errno.ENOSYS when !LinuxRights.Read().IsFiltered => new(
                "This kernel has no pidfd_open(2), which requires Linux 5.3. Without it, the reuse of a process ID is not detected.",
                MeasurementUnavailableCause.NotSupported,
                error),
            Errno.EPERM or Errno.ENOSYS => new(
                "pidfd_open(2) was refused, probably by a seccomp filter. Allow it.", MeasurementUnavailableCause.SeccompFilter, error),
            Errno.EMFILE or Errno.ENFILE => new(LinuxReasons.NoDescriptors, MeasurementUnavailableCause.LimitReached, error),
            _ => CpuTimeReasons.CallFailed("pidfd_open", error),
        };
    }

    private string NiceFailure(int error) => error switch
    {
        Errno.EPERM => $"Process {Id} belongs to another user: {LinuxRights.Read().Remedy(LinuxCapability.SYS_NICE)}.",
        Errno.EACCES => "Decreasing the niceness was refused: "
            + $"{LinuxRights.Read().Remedy(LinuxCapability.SYS_NICE)}, or raise the limit (ulimit -e).",
        _ => CpuTimeReasons.CallFailed("setpriority", error).Message,
    };
}
