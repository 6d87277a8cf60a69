namespace Picollo.Tests.Cpu.Linux;

/// <summary>A test that lets go of root's rights, or gives a child away; skipped, with the reason, where there are none.</summary>
public sealed class PrivilegedLinuxFactAttribute : FactAttribute
{
    public PrivilegedLinuxFactAttribute() => Skip = !OperatingSystem.IsLinux() ? "what is tested here exists on Linux only"
        : !Environment.IsPrivilegedProcess ? "needs root"
        : null;
}
