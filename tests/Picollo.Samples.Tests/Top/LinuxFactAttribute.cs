namespace Picollo.Samples.Tests.Top;

/// <summary>A test of what only Linux has.</summary>
internal sealed class LinuxFactAttribute : FactAttribute
{
    public LinuxFactAttribute()
    {
        if (!OperatingSystem.IsLinux())
        {
            Skip = "niceness and its accounting are Linux's, and this is another system";
        }
    }
}
