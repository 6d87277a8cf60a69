using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Picollo.Cpu.Linux;
using Picollo.Cpu.MacOS;

namespace Picollo.Cpu;

/// <summary>Chooses this system's <c>getrusage</c>: the JIT leaves one of the branches.</summary>
internal static class ResourceUsages
{
    private const string OnWindows =
        "Windows tells neither voluntary from involuntary context switches nor minor from major page faults: CpuUsage.GetByThread() and "
        + "CpuUsage.GetByProcess() tell the CPU time there, System.Diagnostics.Process.PeakWorkingSet64 the largest resident size.";

    public static bool TryGet(ResourceOwner owner, out ResourceUsage usage, [NotNullWhen(false)] out string? reason)
    {
        if (OperatingSystem.IsLinux())
        {
            return LinuxResourceUsage.TryGet(owner, out usage, out reason);
        }

        if (OperatingSystem.IsMacOS())
        {
            return MacResourceUsage.TryGet(owner, out usage, out reason);
        }

        usage = default;
        reason = OperatingSystem.IsWindows()
            ? OnWindows
            : "Page faults, context switches and resident size are read on Linux and macOS only; "
                + $"this is {RuntimeInformation.OSDescription}.";
        return false;
    }
}
