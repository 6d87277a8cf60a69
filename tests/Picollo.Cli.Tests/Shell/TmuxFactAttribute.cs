namespace Picollo.Cli.Tests.Shell;

/// <summary>A test in a real terminal; skipped, with the reason, where there is no <c>tmux</c> to make one.</summary>
internal sealed class TmuxFactAttribute : FactAttribute
{
    public TmuxFactAttribute() => Skip = TmuxScreen.UnavailableReason;
}

/// <inheritdoc cref="TmuxFactAttribute"/>
internal sealed class TmuxTheoryAttribute : TheoryAttribute
{
    public TmuxTheoryAttribute() => Skip = TmuxScreen.UnavailableReason;
}
