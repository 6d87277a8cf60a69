namespace Picollo.TestKit;

/// <summary>A test that lets go of root's rights, or gives a child away, by a tool; skipped, with the reason, where that cannot be.</summary>
public sealed class PrivilegedLinuxFactAttribute : FactAttribute
{
    public PrivilegedLinuxFactAttribute(string tool) => Skip = new LinuxToolFactAttribute(tool).Skip
        ?? (Environment.IsPrivilegedProcess ? null : "needs root");
}
