using System.Runtime.InteropServices;

namespace Picollo.TestKit;

/// <summary>The machine that the tests run on.</summary>
internal static class ThisMachine
{
    /// <summary>The portable runtime identifier, such as linux-x64.</summary>
    public static string Rid { get; } = (OperatingSystem.IsWindows() ? "win-" : OperatingSystem.IsMacOS() ? "osx-" : "linux-")
        + (RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? "arm64" : "x64");

    /// <summary>Whether the processor has a counter that runs at a constant rate in every power state. The Linux kernel reports it; on
    /// other systems it is assumed.</summary>
    public static bool HasInvariantCounter { get; } = Rid != "linux-x64"
        || File.ReadLines("/proc/cpuinfo").First(line => line.StartsWith("flags", StringComparison.Ordinal))
            .Split(' ').Contains("nonstop_tsc");
}
