using Picollo.Cpu.Linux;
using Picollo.Cpu.MacOS;
using Picollo.Cpu.Windows;

namespace Picollo.Cpu;

/// <summary>Selects the implementations for this system. This is the only place that knows all systems.</summary>
internal static class Platforms
{
    /// <summary>Runs before any other code of this assembly, and only selects an object: the readings are below the systems that implement
    /// them, so they cannot name them.</summary>
    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255", Justification = "The only alternative to a circle between readings and systems.")]
    internal static void Select() => CpuPlatform.Current =
        OperatingSystem.IsLinux() ? new LinuxPlatform()
        : OperatingSystem.IsWindows() ? new WindowsPlatform()
        : OperatingSystem.IsMacOS() ? new MacPlatform()
        : new CpuPlatform();

    private sealed class LinuxPlatform : CpuPlatform
    {
        public override ICpuTimes CreateCpuTimes() => new LinuxCpuTimes();

        public override CurrentThread CreateCurrentThread() => new LinuxCurrentThread();

        public override ISystemCpuSource CreateSystemCpuSource() => new LinuxSystemCpuSource(root: "");
    }

    [SupportedOSPlatform("windows")]
    private sealed class WindowsPlatform : CpuPlatform
    {
        public override ICpuTimes CreateCpuTimes() => new WindowsCpuTimes();

        public override CurrentThread CreateCurrentThread() => new WindowsCurrentThread();

        public override ISystemCpuSource CreateSystemCpuSource() => new WindowsSystemCpuSource();
    }

    [SupportedOSPlatform("macos")]
    private sealed class MacPlatform : CpuPlatform
    {
        public override ICpuTimes CreateCpuTimes() => new MacCpuTimes();

        public override ISystemCpuSource CreateSystemCpuSource() => new MacSystemCpuSource();
    }
}
