using System.ComponentModel;
using Picollo.Cpu;

namespace Picollo;

/// <content>Members for programs that were written for version 0.1. New code calls <see cref="CpuUsageReader.GetThreadId"/> and
/// <see cref="Thread.GetCurrentProcessorId"/>.</content>
public static partial class CpuUtils
{
    /// <summary>Returns the operating system's ID of the calling thread, as <see cref="CpuUsageReader.GetThreadId"/> does.</summary>
    /// <returns>The ID, at least 1; or -1 if the system does not provide one.</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static nint GetOsThreadId() => (nint)(CpuTimes.Current.ThreadId ?? -1);

    /// <summary>Returns the number of the CPU that runs the calling thread. The thread may move to another CPU at any time, unless it is
    /// pinned.</summary>
    /// <returns>The number, at least 0; or -1 if the system does not provide it (macOS).</returns>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static nint GetCpu() => CurrentThread.System.Cpu;
}
