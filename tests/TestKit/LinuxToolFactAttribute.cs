namespace Picollo.TestKit;

/// <summary>As LinuxFact, with a tool that the test starts.</summary>
public sealed class LinuxToolFactAttribute : FactAttribute
{
    public LinuxToolFactAttribute(string tool, string package = "util-linux") => Skip = new LinuxFactAttribute().Skip
        ?? (Tool.Exists(tool) ? null : $"no '{tool}' on the PATH (Debian's package {package})");
}
