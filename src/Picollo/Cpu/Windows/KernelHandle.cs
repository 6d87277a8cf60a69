using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Picollo.Interop.Windows;

namespace Picollo.Cpu.Windows;

/// <summary>A thread or process opened by its id for reading its times, and closed at the end of the method.</summary>
[SupportedOSPlatform("windows")]
internal readonly unsafe ref struct KernelHandle(nint value)
{
    private const string NotPermittedRemedy = "run as that user or as an administrator (a few of the system's own are closed to both)";

    /// <summary>This process, by its pseudo-handle.</summary>
    public static KernelHandle CurrentProcess => new(Kernel32.CurrentProcess);

    /// <summary>0 where it could not be opened.</summary>
    public nint Value { get; } = value;

    /// <summary>Opens a thread of this process that has not ended.</summary>
    public static KernelHandle OpenThread(long threadId, out string? reason)
    {
        nint value = threadId <= uint.MaxValue ? Kernel32.OpenThread(Kernel32.THREAD_QUERY_LIMITED_INFORMATION, 0, (uint)threadId) : 0;

        // Ids are multiples of four and the last two bits are ignored when one is opened, so it is asked for its id. A thread
        // whose handle somebody keeps can be opened after it has ended; one that ended with the code "still active" passes for
        // running, with the times it ended with.
        uint code = Kernel32.STILL_ACTIVE;
        reason = value == 0
            || Kernel32.GetThreadId(value) != threadId
            || Kernel32.GetProcessIdOfThread(value) != Environment.ProcessId ? CpuTimeReasons.NoThread(threadId)
            : Kernel32.GetExitCodeThread(value, &code) != 0 && code != Kernel32.STILL_ACTIVE ? CpuTimeReasons.ThreadEnded(threadId)
            : null;
        return new KernelHandle(value);
    }

    /// <summary>Opens a process that has not ended.</summary>
    public static KernelHandle OpenProcess(int processId, out string? reason)
    {
        nint value = Kernel32.OpenProcess(Kernel32.PROCESS_QUERY_LIMITED_INFORMATION, 0, (uint)processId);
        if (value == 0)
        {
            reason = Marshal.GetLastPInvokeError() switch
            {
                Kernel32.ERROR_INVALID_PARAMETER => CpuTimeReasons.NoProcess(processId),
                Kernel32.ERROR_ACCESS_DENIED => CpuTimeReasons.NotPermitted(processId, NotPermittedRemedy),
                var error => CpuTimeReasons.CallFailed($"OpenProcess({processId})", error),
            };
            return default;
        }

        // As for threads.
        uint code = Kernel32.STILL_ACTIVE;
        reason = Kernel32.GetProcessId(value) != processId ? CpuTimeReasons.NoProcess(processId)
            : Kernel32.GetExitCodeProcess(value, &code) != 0 && code != Kernel32.STILL_ACTIVE ? CpuTimeReasons.ProcessEnded(processId)
            : null;
        return new KernelHandle(value);
    }

    /// <summary>Closes it; a second call would close a stranger's, so it is for a using statement alone.</summary>
    public void Dispose()
    {
        if (Value is not (0 or Kernel32.CurrentProcess))
        {
            _ = Kernel32.CloseHandle(Value);
        }
    }
}
