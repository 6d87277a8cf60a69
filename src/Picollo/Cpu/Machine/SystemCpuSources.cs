using System.Diagnostics.CodeAnalysis;
using Picollo.Cpu.Linux;
using Picollo.Cpu.MacOS;
using Picollo.Cpu.Windows;

namespace Picollo.Cpu;

/// <summary>Chooses this system's <see cref="ISystemCpuSource"/>.</summary>
internal static class SystemCpuSources
{
    public static bool TryCreate([NotNullWhen(true)] out ISystemCpuSource? source, [NotNullWhen(false)] out string? reason)
    {
        source = OperatingSystem.IsLinux() ? new LinuxSystemCpuSource(root: "")
            : OperatingSystem.IsWindows() ? new WindowsSystemCpuSource()
            : OperatingSystem.IsMacOS() ? new MacSystemCpuSource()
            : null;
        reason = source is null ? "SystemCpu reads Linux, Windows and macOS; this is another system." : null;
        return source is not null;
    }
}
