namespace Picollo.Tests.Cpu.Linux;

/// <summary>A test that makes Linux's system calls; skipped, with the reason, elsewhere.</summary>
public sealed class LinuxFactAttribute : FactAttribute
{
    public LinuxFactAttribute() => Skip = OperatingSystem.IsLinux() ? null : "files are read by Linux's system calls, and this is another system";
}
