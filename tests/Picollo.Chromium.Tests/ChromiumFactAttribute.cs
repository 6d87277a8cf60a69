namespace Picollo.Chromium.Tests;

/// <summary>A test in a browser; skipped, with the reason, where there is none.</summary>
internal sealed class ChromiumFactAttribute : FactAttribute
{
    public ChromiumFactAttribute() => Skip = Browser.UnavailableReason;
}

/// <inheritdoc cref="ChromiumFactAttribute"/>
internal sealed class ChromiumTheoryAttribute : TheoryAttribute
{
    public ChromiumTheoryAttribute() => Skip = Browser.UnavailableReason;
}
