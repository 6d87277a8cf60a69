namespace Picollo.Cli.Tests.Shell;

/// <summary>A test in a real terminal; skipped, with the reason, where there is no <c>tmux</c> to make one.</summary>
internal sealed class TmuxFactAttribute : FactAttribute
{
    /// <param name="needsRoot">Whether it becomes another user.</param>
    public TmuxFactAttribute(bool needsRoot = false) => Skip = TmuxScreen.UnavailableReason
        ?? (!needsRoot ? null : !Environment.IsPrivilegedProcess ? "needs root" : !Tool.Exists("setpriv") ? "no 'setpriv' on the PATH (Debian's package util-linux)" : null);
}

/// <inheritdoc cref="TmuxFactAttribute"/>
internal sealed class TmuxTheoryAttribute : TheoryAttribute
{
    public TmuxTheoryAttribute() => Skip = TmuxScreen.UnavailableReason;
}
