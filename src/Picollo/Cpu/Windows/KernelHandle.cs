using Picollo.Interop.Windows;

namespace Picollo.Cpu.Windows;

/// <summary>A thread or process that is opened by its ID to read its times, and closed at the end of the method.</summary>
[SupportedOSPlatform("windows")]
internal readonly unsafe ref struct KernelHandle(nint value)
{
    private const string NotPermittedRemedy = "run as that user or as an administrator (some system processes permit neither)";

    public static KernelHandle CurrentProcess => new(Kernel32.CurrentProcess);

    /// <summary>The handle; 0 if it could not be opened.</summary>
    public nint Value { get; } = value;

    /// <summary>Opens a thread of this process that has not ended.</summary>
    public static KernelHandle OpenThread(long threadId, out MeasurementUnavailableException? failure)
    {
        nint value = threadId <= uint.MaxValue ? Kernel32.OpenThread(Kernel32.THREAD_QUERY_LIMITED_INFORMATION, 0, (uint)threadId) : 0;

        // IDs are multiples of four, and opening ignores the last two bits, so the ID of the handle is checked. An ended thread can be
        // opened if another handle to it is open. A thread that ended with the code "still active" looks like a running one, with its final
        // times.
        uint code = Kernel32.STILL_ACTIVE;
        failure = value == 0
            || Kernel32.GetThreadId(value) != threadId
            || Kernel32.GetProcessIdOfThread(value) != Environment.ProcessId ? CpuTimeReasons.NoThread(threadId)
            : Kernel32.GetExitCodeThread(value, &code) != 0 && code != Kernel32.STILL_ACTIVE ? CpuTimeReasons.ThreadEnded(threadId)
            : null;
        return new KernelHandle(value);
    }

    /// <summary>Opens a process that has not ended.</summary>
    public static KernelHandle OpenProcess(int processId, out MeasurementUnavailableException? failure)
    {
        nint value = Kernel32.OpenProcess(Kernel32.PROCESS_QUERY_LIMITED_INFORMATION, 0, (uint)processId);
        if (value == 0)
        {
            failure = Marshal.GetLastPInvokeError() switch
            {
                Kernel32.ERROR_INVALID_PARAMETER => CpuTimeReasons.NoProcess(processId, Kernel32.ERROR_INVALID_PARAMETER),
                Kernel32.ERROR_ACCESS_DENIED =>
                    CpuTimeReasons.NotPermitted(processId, NotPermittedRemedy, Kernel32.ERROR_ACCESS_DENIED),
                var error => CpuTimeReasons.CallFailed($"OpenProcess({processId})", error),
            };
            return default;
        }

        // See OpenThread.
        uint code = Kernel32.STILL_ACTIVE;
        failure = Kernel32.GetProcessId(value) != processId ? CpuTimeReasons.NoProcess(processId)
            : Kernel32.GetExitCodeProcess(value, &code) != 0 && code != Kernel32.STILL_ACTIVE ? CpuTimeReasons.ProcessEnded(processId)
            : null;
        return new KernelHandle(value);
    }

    /// <summary>Closes the handle. Use it only in a using statement: a second call could close an unrelated handle.</summary>
    public void Dispose()
    {
        if (Value is not (0 or Kernel32.CurrentProcess))
        {
            _ = Kernel32.CloseHandle(Value);
        }
    }
}
