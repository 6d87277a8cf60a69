using System.Runtime.InteropServices;

namespace Picollo.TestKit;

/// <summary>The machine that the tests run on.</summary>
internal static class ThisMachine
{
    /// <summary>The portable runtime identifier, such as linux-x64.</summary>
    public static string Rid { get; } = (OperatingSystem.IsWindows() ? "win-" : OperatingSystem.IsMacOS() ? "osx-" : "linux-")
        + (RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? "arm64" : "x64");

    /// <summary>
    /// Whether the processor has a counter that runs at one rate whatever its power state. Known for Linux, whose
    /// kernel says so; taken for granted elsewhere.
    /// </summary>
    public static bool HasInvariantCounter { get; } = Rid != "linux-x64"
        || File.ReadLines("/proc/cpuinfo").First(line => line.StartsWith("flags", StringComparison.Ordinal))
            .Split(' ').Contains("nonstop_tsc");
}
