using System.Globalization;
using System.Xml.Linq;
using FsCheck;
using FsCheck.Fluent;
using Picollo.Profiling.Output;

namespace Picollo.Profiling.Tests.Output;

public class SvgTests
{
    private const double Inner = 1180 - 12; // without the margins
    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";

    [Fact]
    public void A_tooltip_has_the_function_its_share_and_its_time()
    {
        Titles(Profiles.Of("Main;Work 1111", "Main;Rest 8889")).Should().Equal(
            "all 10,000 samples, 100.0 %, 100 s", "Main (App.dll) 10,000 samples, 100.0 %, 100 s",
            "Rest (App.dll) 8,889 samples, 88.9 %, 88.9 s", "Work (App.dll) 1,111 samples, 11.1 %, 11.1 s");
        Titles(Profiles.Of("A 893", "B 1", "C 6")).Should().EndWith(["C (App.dll) 6 samples, 0.67 %, 60.0 ms", "B (App.dll) 1 sample, 0.11 %, 10.0 ms"]);
        Titles(Profiles.Of("Big 1997", "Two 2", "One 1")).Select(title => title.Split(' ')[0]).Should().Equal(
            ["all", "Big", "Two"], "a node as wide as the limit is drawn and a narrower one is not");
    }

    [Fact]
    public void Widths_are_proportional_to_samples() => Prop.ForAll<int>(seed =>
    {
        Random random = new(seed);
        string[] folded = [.. Enumerable.Range(0, 30).Select(i =>
            $"{string.Join(';', Enumerable.Range(0, 1 + random.Next(6)).Select(_ => "F" + random.Next(4)))} {1 + random.Next(i % 7 == 0 ? 3000 : 30)}")];
        CpuProfile profile = Profiles.Of(folded);
        Dictionary<string, List<XElement>> boxes = Boxes(profile).GroupBy(TitleOf).ToDictionary(group => group.Key, group => group.ToList());
        foreach ((CpuProfileNode node, int depth, long start) in Nodes(profile.Root, 0, 0))
        {
            double width = Inner * node.Value / profile.Value;
            double x = 6 + (Inner * start / profile.Value);
            bool isDrawn = boxes.GetValueOrDefault(Title(profile, node), []).Exists(box =>
                Math.Abs(Number(box, "width") - width) < 0.06 && Math.Abs(Number(box, "x") - x) < 0.06 && Math.Abs(Number(box, "y") - 52 - (19 * depth)) < 0.06);
            isDrawn.Should().Be(node.Value >= profile.Value * 0.001, $"{node.Frame.Name} at depth {depth} has {node.Value} of {profile.SampleCount} samples");
        }
    }).Check(Config.QuickThrowOnFailure.WithMaxTest(50));

    [Fact]
    public void Each_kind_of_code_has_a_color_that_the_legend_explains()
    {
        XElement svg = Draw(SomeProfiles.Typical());
        string[] legend = ["managed", "native", "kernel", "unnamed"];
        svg.Elements(Svg + "rect").Take(4).Select(TitleOf).Should().Equal(legend);
        svg.Elements(Svg + "rect").Take(4).Select(box => box.Attribute("fill")!.Value).Should().Equal("#0072B2", "#009E73", "#D55E00", "#CC79A7");
        FillOf("Shop.Search.Query.Parse").Should().Be("#0072B2");
        FillOf("start_thread").Should().Be("#009E73");
        FillOf("tcp_sendmsg").Should().Be("#D55E00");
        FillOf("libclrgc.so+0x1f3a0").Should().Be("#CC79A7");
        FillOf("all").Should().Be("currentColor");
        svg.Value.Should().Contain("[fill=\"#0072B2\"] { fill: #56B4E9; }");
        Draw(Profiles.Of("A 1")).Elements(Svg + "text").Select(text => text.Value).Should().NotContain("managed", "one kind needs no legend");

        ILookup<string, string> opacities = Boxes(SomeProfiles.Typical()).ToLookup(box => TitleOf(box).Split(" (")[0], box => box.Attribute("fill-opacity")!.Value);
        opacities.Should().OnlyContain(one => one.Distinct().Count() == 1);
        opacities.SelectMany(one => one).Distinct()
            .Should().HaveCountGreaterThanOrEqualTo(5, "different functions differ in lightness: four for code and one for groups");

        string FillOf(string name) => svg.Elements(Svg + "rect").First(box => TitleOf(box).StartsWith(name + " ", StringComparison.Ordinal)).Attribute("fill")!.Value;
    }

    [Fact]
    public void A_name_that_is_too_long_loses_its_namespaces_first()
    {
        foreach ((string name, int letters, string label) in new[]
        {
            ("Short", 20, "Short"), ("System.Text.Json.JsonSerializer.Read", 24, "JsonSerializer.Read"),
            ("System.Text.Json.JsonSerializer.Read", 10, "Read"),
            ("A.B.Dictionary<System.Int32>.Find", 32, "Dictionary<System.Int32>.Find"), ("A.B.Dictionary<System.Int32>.Find", 16, "Find"),
            ("A.Program.<>c.<Main>b__0", 14, "<Main>b__0"), ("Type..ctor", 6, ".ctor"), ("Type..ctor", 4, ".ct…"),
            ("A.LongNameWithoutADot", 12, "LongNameW…"),
        })
        {
            FlameGraph.Label(Profiles.Managed(name), letters).Should().Be(label);
        }

        FlameGraph.Label(SomeProfiles.Native("libcoreclr.so.1.2+0x1f3a0", "libcoreclr.so"), 12)
            .Should().Be("libcoreclr.…", "a native name keeps its start");
    }

    [Fact]
    public void Hostile_names_are_text()
    {
        string text = Profiles.Text(SomeProfiles.Hostile().WriteSvg);
        text.Should().NotContainAny("<script", "<img", "\u2028", "\u202e", "\0");
        XElement.Parse(text).Descendants().Select(one => one.Name.LocalName).Distinct().Should().BeEquivalentTo("title", "style", "rect", "text");
        text.Should().NotContainAny("href", "url(", "@import", "<!");
    }

    [Fact]
    public void The_picture_of_an_empty_profile_has_a_reason()
    {
        Draw(SomeProfiles.Empty()).Value.Should().Contain("No samples. The process used no CPU time while it was sampled.");
        Draw(With(new Cpu.CpuUsage(2_000_000, 1_000_000), lost: 0)).Value.Should().Contain("No samples. The process used 3.00 ms of CPU time; a sample is taken every 10.0 ms. Use a higher frequency.");
        Draw(With(default, lost: 3)).Value.Should().Contain("No samples. All of them were lost: 3 samples.");

        static CpuProfile With(Cpu.CpuUsage usage, long lost) => new(new ProfileData(new CpuProfileNode(new CpuProfileFrame("all", "", CpuProfileFrameKind.Group)))
        {
            Frequency = 100,
            CpuUsage = usage,
            LostSampleCount = lost,
        });
    }

    [Fact]
    public void A_stack_of_a_thousand_frames_has_a_thousand_rows()
    {
        XElement svg = Draw(SomeProfiles.Deep());
        svg.Elements(Svg + "rect").Should().HaveCount(1001);
        double height = double.Parse(svg.Attribute("viewBox")!.Value.Split(' ')[3], CultureInfo.InvariantCulture);
        svg.Elements(Svg + "rect").Max(box => Number(box, "y") + Number(box, "height")).Should().BeLessThan(height);
    }

    [Fact]
    public void The_heading_has_the_measured_values() => Draw(SomeProfiles.Of("app", [([Profiles.Managed("A")], 1234)])).Elements(Svg + "text").Take(2)
        .Select(text => text.Value).Should().Equal("app", "1,234 samples at 99 Hz (cpu-clock), 30 samples lost · 12.3 s of CPU time in 30.0 s · 2026-11-25 12:00:00 UTC");

    private static XElement Draw(CpuProfile profile) => XDocument.Parse(Profiles.Text(profile.WriteSvg)).Root!;

    private static IEnumerable<XElement> Boxes(CpuProfile profile) => Draw(profile).Elements(Svg + "rect");

    private static IEnumerable<string> Titles(CpuProfile profile) => Boxes(profile).Select(TitleOf);

    private static string TitleOf(XElement box) => box.Element(Svg + "title")!.Value;

    private static string Title(CpuProfile profile, CpuProfileNode node) =>
        node.Frame.Name + (node.Frame.Module.Length == 0 ? "" : $" ({node.Frame.Module})") + " " + ProfileText.Weight(profile.Data, node.Value);

    private static double Number(XElement box, string name) => double.Parse(box.Attribute(name)!.Value, CultureInfo.InvariantCulture);

    /// <summary>All nodes with their depth and the samples to their left.</summary>
    private static IEnumerable<(CpuProfileNode Node, int Depth, long Start)> Nodes(CpuProfileNode node, int depth, long start)
    {
        yield return (node, depth, start);
        foreach (CpuProfileNode child in node.Children)
        {
            foreach ((CpuProfileNode, int, long) below in Nodes(child, depth + 1, start))
            {
                yield return below;
            }

            start += child.Value;
        }
    }
}
