namespace Picollo.TestKit;

/// <summary>A test of cultures; skipped, with the reason, where the runtime has no culture data.</summary>
public sealed class IcuFactAttribute : FactAttribute
{
    /// <param name="needsLinux">Whether the test is about Linux, too.</param>
    public IcuFactAttribute(bool needsLinux = false) =>
        Skip = (needsLinux ? new LinuxFactAttribute().Skip : null) ?? Cultures.UnavailableReason;
}
