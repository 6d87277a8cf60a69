namespace Picollo.Tests.PerfEvent;

/// <summary>A test that changes what its child processes may do or see, with a tool of the system; skipped, with the reason, where
/// that cannot be.</summary>
public sealed class RootFactAttribute : FactAttribute
{
    public RootFactAttribute(string tool) => Skip = new PerfFactAttribute().Skip
        ?? (!Environment.IsPrivilegedProcess ? "needs root"
            : !Tool.Exists(tool) ? $"no '{tool}' on the PATH (Debian's package util-linux)"
            : null);
}
