namespace Picollo.TestKit;

/// <inheritdoc cref="LinuxFactAttribute"/>
public sealed class LinuxTheoryAttribute : TheoryAttribute
{
    public LinuxTheoryAttribute() => Skip = new LinuxFactAttribute().Skip;
}
