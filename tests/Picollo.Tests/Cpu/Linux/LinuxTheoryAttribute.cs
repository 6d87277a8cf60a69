namespace Picollo.Tests.Cpu.Linux;

/// <summary>As LinuxFact, for theories.</summary>
public sealed class LinuxTheoryAttribute : TheoryAttribute
{
    public LinuxTheoryAttribute() => Skip = OperatingSystem.IsLinux() ? null : "what is tested here exists on Linux only";
}
