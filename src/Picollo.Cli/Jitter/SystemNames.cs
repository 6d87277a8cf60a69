using System.Runtime.InteropServices;

namespace Picollo.Cli.Jitter;

/// <summary>What uname(1) tells, and how many CPUs are online.</summary>
internal sealed record SystemNames(string System, string Host, string Release, string Version, string Machine, int OnlineCpus)
{
    public static SystemNames Read() => new(
        Kernel("ostype"),
        Kernel("hostname"),
        Kernel("osrelease"),
        Kernel("version"),
        RuntimeInformation.OSArchitecture == Architecture.Arm64 ? "aarch64" : "x86_64",
        CpuList.Parse(Line("/sys/devices/system/cpu/online"))?.Length ?? Environment.ProcessorCount);

    private static string Kernel(string name) => Line($"/proc/sys/kernel/{name}");

    private static string Line(string path)
    {
        try
        {
            return File.ReadAllText(path).TrimEnd('\n');
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }
}
