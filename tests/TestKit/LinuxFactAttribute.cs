namespace Picollo.TestKit;

/// <summary>A test of something that only Linux has; skipped elsewhere, with the reason.</summary>
public sealed class LinuxFactAttribute : FactAttribute
{
    public LinuxFactAttribute() => Skip = OperatingSystem.IsLinux() ? null : "what is tested here exists on Linux only";
}
