using System.Xml.Linq;

namespace Picollo.TestKit;

/// <summary>A picture of the documentation, an SVG in docs/. PICOLLO_APPROVE=1 (<c>./build.sh pictures</c>) replaces it with one from a
/// real run.</summary>
internal static class Picture
{
    private const int MaxLength = 60_000;

    public static bool MustReplace => Environment.GetEnvironmentVariable("PICOLLO_APPROVE") == "1";

    /// <summary>Writes the picture if it must be replaced, and checks the requirements of a reader's browser.</summary>
    /// <returns>The picture in the documentation.</returns>
    public static XElement Show(string name, string taken)
    {
        string path = Path.Combine(Repository.Root, "docs", name);
        if (MustReplace)
        {
            File.WriteAllText(path, taken.ReplaceLineEndings("\n"));
        }

        string shown = File.ReadAllText(path).ReplaceLineEndings("\n");
        shown.Length.Should().BeInRange(1_000, MaxLength);
        shown.Should().MatchRegex("prefers-color-scheme: ?dark").And.NotContain("<script").And.NotContain("@import").And.NotMatchRegex("(href|src)=[\"']http|url\\(.?http");
        return XElement.Parse(shown);
    }
}
