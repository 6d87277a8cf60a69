namespace Picollo.Java.Tests;

/// <summary>A test against the Java library; skipped, with the reason, where it is not there.</summary>
internal sealed class JavaFactAttribute : FactAttribute
{
    public JavaFactAttribute() => Skip = JavaLibrary.UnavailableReason;
}

/// <inheritdoc cref="JavaFactAttribute"/>
internal sealed class JavaTheoryAttribute : TheoryAttribute
{
    public JavaTheoryAttribute() => Skip = JavaLibrary.UnavailableReason;
}
