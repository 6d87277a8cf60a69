using System.Globalization;
using System.Text.RegularExpressions;
using System.Xml.Linq;
using Picollo.Export;

namespace Picollo.Export.Tests.Plots;

/// <summary>A parsed plot. The constructor checks the properties that all plots share.</summary>
internal sealed partial class SvgPicture
{
    private const string Switch = "PICOLLO_APPROVE";
    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";

    private readonly XElement _root;

    public SvgPicture(HdrHistogramPlot plot)
    {
        Fragment = plot.ToSvgElement();
        _root = XElement.Parse(Fragment);
        _root.Name.Should().Be(Svg + "svg");
        _root.Attribute("role")!.Value.Should().Be("img");
        _root.Attribute("aria-label")!.Value.Should().Be(_root.Element(Svg + "title")!.Value).And.NotBeEmpty();
        _root.Descendants().Select(element => element.Name.LocalName).Distinct()
            .Should().BeSubsetOf(["title", "text", "path", "rect"], "a policy or a page can forbid others");
        _root.DescendantsAndSelf().Attributes().Select(attribute => attribute.Name.LocalName).Distinct()
            .Should().NotContain(["id", "class", "style", "href"]).And.NotContain(name => name.StartsWith("on", StringComparison.Ordinal));
        XElement.Parse(plot.ToSvgDocument()).Descendants(Svg + "style").Should().ContainSingle();
        CheckBounds();
    }

    public string Fragment { get; }

    public string Label => _root.Attribute("aria-label")!.Value;

    /// <summary>The visible texts, without tooltips.</summary>
    public IReadOnlyList<string> Texts =>
        [.. _root.Elements(Svg + "text").Select(text => string.Concat(text.Nodes().OfType<XText>().Select(part => part.Value)))];

    /// <summary>The tooltips, from left to right.</summary>
    public IReadOnlyList<string> Tooltips => [.. _root.Elements(Svg + "rect").Select(strip => strip.Element(Svg + "title")!.Value)];

    /// <summary>The path data of the lines. The lines of the legend follow those of the chart.</summary>
    public IReadOnlyList<string> Lines =>
        [.. _root.Elements(Svg + "path").Where(path => (string?)path.Attribute("fill") == "none").Select(path => path.Attribute("d")!.Value)];

    /// <summary>The path data of the areas.</summary>
    public IReadOnlyList<string> Areas =>
        [.. _root.Elements(Svg + "path").Where(path => path.Attribute("fill-opacity") is not null).Select(path => path.Attribute("d")!.Value)];

    /// <summary>Compares the plot with the golden file of a name, which PICOLLO_APPROVE=1 rewrites.</summary>
    public void ShouldMatchGoldenFile(string name)
    {
        string path = Path.Combine(Repository.Root, "tests/Picollo.Export.Tests/Plots/Golden", name + ".svg");
        if (Environment.GetEnvironmentVariable(Switch) == "1")
        {
            File.WriteAllText(path, Fragment);
        }

        Fragment.Should().Be(File.ReadAllText(path).ReplaceLineEndings("\n"), $"{Switch}=1 with this test writes {path}");
    }

    private void CheckBounds()
    {
        double[] box = [.. _root.Attribute("viewBox")!.Value.Split(' ').Select(Number)];
        foreach (XElement element in _root.Descendants().Where(element => element.Attribute("x") is not null))
        {
            Number(element.Attribute("x")!.Value).Should().BeInRange(0, box[2]);
            Number(element.Attribute("y")!.Value).Should().BeInRange(0, box[3]);
        }

        foreach (XElement path in _root.Descendants(Svg + "path"))
        {
            foreach (Match place in AbsolutePosition().Matches(path.Attribute("d")!.Value))
            {
                Number(place.Groups["x"].Value).Should().BeInRange(0, box[2]);
                Number(place.Groups["y"].Value).Should().BeInRange(0, box[3]);
            }
        }
    }

    private static double Number(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    // Matches numbers that a path must not contain: NaN, exponents, decimal commas.
    [GeneratedRegex(@"[ML](?<x>[-\d.]+) (?<y>[-\d.]+)")]
    private static partial Regex AbsolutePosition();
}
