using Picollo.Cpu.Linux;
using Picollo.Cpu.MacOS;
using Picollo.Cpu.Windows;

namespace Picollo.Cpu;

/// <summary>Chooses this system's <see cref="ICpuTimes"/>, once.</summary>
internal static class CpuTimes
{
    /// <summary>static readonly: a constant to the JIT, which calls the class behind it directly.</summary>
    public static readonly ICpuTimes Current =
        OperatingSystem.IsLinux() ? new LinuxCpuTimes()
        : OperatingSystem.IsWindows() ? new WindowsCpuTimes()
        : OperatingSystem.IsMacOS() ? new MacCpuTimes()
        : new UnknownCpuTimes();
}
