using Picollo.Cpu.Linux;
using Picollo.Cpu.Windows;

namespace Picollo.Cpu;

/// <summary>Where the calling thread runs and with which priority, on a system that offers neither: macOS and others. Linux and Windows
/// override what they offer.</summary>
internal class CurrentThread
{
    /// <summary>This system's; chosen once.</summary>
    public static readonly CurrentThread System =
        OperatingSystem.IsLinux() ? new LinuxCurrentThread()
        : OperatingSystem.IsWindows() ? new WindowsCurrentThread()
        : new CurrentThread();

    /// <summary>The number of the thread's CPU at this moment; -1 where it is unknown.</summary>
    public virtual int Cpu => -1;

    /// <summary>Pins the thread to one CPU. Returns why it is not pinned, as a sentence; null on success.</summary>
    public virtual string? Pin(int cpu) => "The thread is not pinned: this system does not pin threads to CPUs.";

    /// <summary>Raises the priority as far as this user may. Returns what is missing and why, as a sentence; null if it is the
    /// highest.</summary>
    public virtual string? RaisePriority() => "The thread's priority is unchanged: Picollo raises it on Linux and Windows only.";
}
