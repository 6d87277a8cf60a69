namespace Picollo.Cli.Tests.Top;

/// <summary>A test with a /proc of its own; skipped, with the reason, where none can be mounted.</summary>
internal sealed class NamespaceFactAttribute : FactAttribute
{
    public NamespaceFactAttribute() => Skip = !OperatingSystem.IsLinux() ? "/proc exists on Linux only"
        : !Environment.IsPrivilegedProcess ? "needs root to mount a /proc"
        : !Tool.Exists("unshare") || !Tool.Exists("setpriv") ? "no unshare and setpriv on the PATH (Debian's util-linux)"
        : PicolloTool.RunInShell("unshare -mp --fork mount -t proc -o subset=pid proc /proc") is { ExitCode: not 0 } refused ? $"a /proc cannot be mounted here: {refused.Error.Trim()}"
        : null;
}
