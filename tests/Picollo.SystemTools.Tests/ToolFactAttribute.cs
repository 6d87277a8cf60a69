namespace Picollo.SystemTools.Tests;

/// <summary>A test that compares with a tool of Linux; skipped, with the reason, where one of those needed is missing.</summary>
public sealed class ToolFactAttribute : FactAttribute
{
    public ToolFactAttribute(params string[] tools)
    {
        string[] missing = [.. tools.Concat(["stdbuf", "taskset", "nice"]).Where(tool => !Tool.Exists(tool))];
        Skip = !OperatingSystem.IsLinux() ? $"{string.Join(", ", tools)}: Linux's tools, and this is another system"
            : missing.Length > 0 ? $"no {string.Join(", ", missing)} on the PATH (Debian's packages procps, sysstat, util-linux, coreutils)"
            : null;
    }
}
