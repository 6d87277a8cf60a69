using System.Text.RegularExpressions;

namespace Picollo.Samples.Tests.Guides;

/// <summary>A Markdown file of the repository, with what the tests look at.</summary>
internal sealed partial class Markdown
{
    private Markdown(string path)
    {
        Path = path;
        Text = File.ReadAllText(System.IO.Path.Combine(Repository.Root, path)).ReplaceLineEndings("\n");
    }

    /// <summary>The path from the repository's root, with slashes.</summary>
    public string Path { get; }

    public string Text { get; }

    public IEnumerable<string> CodeBlocks => CodeBlock().Matches(Text).Select(match => match.Groups[1].Value);

    /// <summary>The targets of links and pictures, without those in code.</summary>
    public IEnumerable<string> Links => Link().Matches(AnyCode().Replace(Text, "")).Select(match => match.Groups[1].Value);

    /// <summary>The anchors of the headings, as GitHub makes them.</summary>
    public IEnumerable<string> Anchors => Heading().Matches(AnyBlock().Replace(Text, ""))
        .Select(match => NotInAnchor().Replace(match.Groups[1].Value.ToLowerInvariant(), "").Replace(' ', '-'));

    public static Markdown Of(string path) => new(path);

    /// <summary>All files below a folder of the repository.</summary>
    public static IEnumerable<Markdown> Below(string folder) =>
        Directory.EnumerateFiles(System.IO.Path.Combine(Repository.Root, folder), "*.md", SearchOption.AllDirectories)
            .Select(file => System.IO.Path.GetRelativePath(Repository.Root, file).Replace('\\', '/'))
            .Where(path => !path.Contains("/bin/", StringComparison.Ordinal) && !path.Contains("/obj/", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal)
            .Select(Of);

    [GeneratedRegex("```csharp\n(.*?)```", RegexOptions.Singleline)]
    private static partial Regex CodeBlock();

    [GeneratedRegex("```.*?```|`[^`\n]*`", RegexOptions.Singleline)]
    private static partial Regex AnyCode();

    [GeneratedRegex("```.*?```", RegexOptions.Singleline)]
    private static partial Regex AnyBlock();

    [GeneratedRegex(@"\]\(([^)\s]+)\)")]
    private static partial Regex Link();

    [GeneratedRegex("^#+ (.*)$", RegexOptions.Multiline)]
    private static partial Regex Heading();

    [GeneratedRegex(@"[^\p{L}\p{N} _-]")]
    private static partial Regex NotInAnchor();
}
