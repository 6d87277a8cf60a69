using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Picollo.Cpu;
using Picollo.Cpu.Linux;
using Picollo.Interop.Linux;

namespace Picollo.Diagnostics.Linux;

/// <summary>A process by a descriptor of it (pidfd_open(2)), which never means another one.</summary>
internal sealed unsafe class LinuxProcess : SafeHandleMinusOneIsInvalid
{
    /// <summary>Threads take their niceness from the one that begins them: the second pass finds those that were begun by one the first
    /// had not reached yet, and more are needed only while somebody else changes them back.</summary>
    private const int NicePasses = 10;

    private readonly int _id;

    private LinuxProcess(int id, int file)
        : base(ownsHandle: true)
    {
        _id = id;
        SetHandle(file);
    }

    /// <summary>Readable once all its threads have ended, whether or not its parent has waited for it.</summary>
    public bool HasEnded
    {
        get
        {
            var poll = new LibC.PollFd { File = (int)handle, Events = LibC.POLLIN };
            return LibC.poll(&poll, 1, 0) > 0;
        }
    }

    /// <summary>Opens a process; one that has the ID by now if <paramref name="startNanoseconds"/>, the start of the one that is meant, is
    /// null.</summary>
    public static bool TryOpen(
        int id, long? startNanoseconds, [NotNullWhen(true)] out LinuxProcess? process, [NotNullWhen(false)] out string? reason)
    {
        process = null;
        if (LinuxTasks.OwnIdIn("/proc") is var own && own != Environment.ProcessId)
        {
            reason = own is null ? LinuxFiles.WhyNotRead(LinuxReasons.NoProc) : LinuxReasons.OtherNamespace;
            return false;
        }

        int file = (int)LibC.syscall(LibC.SYS_pidfd_open, id, 0, 0);
        if (file < 0)
        {
            reason = WhyNotOpened(id);
            return false;
        }

        // In this order: the descriptor is of a process that was there to the end, so the id was its and nobody else's while the start
        // was read.
        process = new LinuxProcess(id, file);
        long? start = StartOf(id);
        reason = process.HasEnded || start is null ? CpuTimeReasons.ProcessEnded(id)
            : startNanoseconds is not null && start != startNanoseconds ? $"Process {id} has ended, and its id is another's by now."
            : null;
        if (reason is not null)
        {
            process.Dispose();
            process = null;
        }

        return process is not null;
    }

    public string? Signal(int signal) => HasEnded ? CpuTimeReasons.ProcessEnded(_id)
        : LibC.syscall(LibC.SYS_pidfd_send_signal, handle, signal, 0, 0, 0) == 0 ? null
        : Marshal.GetLastPInvokeError() switch
        {
            Errno.ESRCH => CpuTimeReasons.ProcessEnded(_id),
            Errno.EPERM => $"Process {_id} is another user's: signals to it take root's rights (CAP_KILL).",
            var error => CpuTimeReasons.CallFailed("pidfd_send_signal", error),
        };

    public string? SetNice(int nice)
    {
        var tasks = new LinuxTasks("/proc");
        var sample = new SystemCpuSample();
        for (int pass = 0; pass < NicePasses; pass++)
        {
            sample.Clear();
            tasks.ReadThreadsOf(_id, sample);

            // After the list was made: so it is this process's.
            if (HasEnded)
            {
                return CpuTimeReasons.ProcessEnded(_id);
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
                    return WhyNotNice(error);
                }
            }

            if (isDone)
            {
                return sample.Threads.Count > 0 ? null : LinuxReasons.Hidden;
            }
        }

        return $"Some of process {_id}'s threads have another niceness again: somebody else changes it.";
    }

    protected override bool ReleaseHandle() => LibC.close((int)handle) == 0;

    private static long? StartOf(int id) =>
        ProcTaskStat.TryRead(id, stackalloc byte[ProcTaskStat.MaxLength], out ProcTaskStat stat) ? stat.LatestStartNanoseconds : null;

    // What is no process any more may be a thread of another.
    private static string WhyNotOpened(int id) => Marshal.GetLastPInvokeError() switch
    {
        Errno.ESRCH or Errno.ENOENT or Errno.EINVAL => CpuTimeReasons.NoProcess(id),
        Errno.ENOSYS =>
            "This kernel has no pidfd_open(2), which came with Linux 5.3: another process with the same id could not be told apart.",
        Errno.EPERM => "pidfd_open(2) was refused: probably by a seccomp filter; allow it.",
        var error => LinuxFiles.WhyNotRead(CpuTimeReasons.CallFailed("pidfd_open", error)),
    };

    private string WhyNotNice(int error) => error switch
    {
        Errno.EPERM => $"Process {_id} is another user's: changing its niceness takes root's rights (CAP_SYS_NICE).",
        Errno.EACCES => $"Less niceness than it has takes root's rights (CAP_SYS_NICE) or a limit that allows it (ulimit -e).",
        _ => CpuTimeReasons.CallFailed("setpriority", error),
    };
}
