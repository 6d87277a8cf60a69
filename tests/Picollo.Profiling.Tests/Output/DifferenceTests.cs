using System.Xml.Linq;
using Picollo.Cpu;
using Picollo.Profiling.Output;
using static Picollo.Profiling.Tests.Profiles;

namespace Picollo.Profiling.Tests.Output;

public class DifferenceTests
{
    private static readonly XNamespace Svg = "http://www.w3.org/2000/svg";

    private static readonly CpuProfileDifference Small = new(
        new CpuProfile(new ProfileData(RootOf(
            ([Managed("Main"), Managed("App.Parser.Read")], 1_234),
            ([Managed("Main"), Managed("App.Index.Add")], 400),
            ([Managed("Main"), Managed("\e]0;evil\a\r\n")], 30)))
        {
            Title = "app\e[1m (process 42)",
            Duration = TimeSpan.FromSeconds(1_805.25),
            Frequency = 99,
            CpuUsage = new CpuUsage(16_500_000_000, 750_000_000),
            Notes = ["The names of libcoreclr.so are unknown: it has no symbols."],
        }),
        new CpuProfile(new ProfileData(RootOf(
            ([Managed("Main"), Managed("App.Parser.Read")], 400),
            ([Managed("Main"), Managed("App.Index.Add")], 395),
            ([Managed("Main"), new CpuProfileFrame("memcpy", "libc.so.6", CpuProfileFrameKind.Native)], 20)))
        {
            Title = "app (process 7)",
            Duration = TimeSpan.FromSeconds(10),
            Frequency = 999,
            CpuUsage = new CpuUsage(800_000_000, 20_000_000),
            IncludesKernel = true,
        }));

    [Fact]
    public void Tables_match_the_golden_files()
    {
        Table(Small).ShouldBeGolden("difference");
        Table(Small, 1).ShouldBeGolden("difference-limit");
        Table(SomeDifferences.Empty()).ShouldBeGolden("difference-empty");
        Small.ToString().ReplaceLineEndings("\n").Should().Be(Table(Small));
        FluentActions.Invoking(() => Table(Small, 0)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("limit");
    }

    [Fact]
    public void The_boxes_are_the_union_of_both_trees_in_the_colors_of_their_changes()
    {
        XElement svg = XElement.Parse(Text(new CpuProfileDifference(
            Of("Main;Gone 6000", "Main;Same 2000", "Main;Rest 2000"), Of("Main;Work 12600", "Main;Same 4000", "Main;Rest 3400")).WriteSvg));

        svg.Elements(Svg + "rect").Skip(7).Select(box =>
            $"{box.Element(Svg + "title")!.Value} | {box.Attribute("fill")!.Value} {box.Attribute("fill-opacity")!.Value} {box.Attribute("width")!.Value}").Should().Equal(
            "all before 100.0 % (10,000 samples), after 100.0 % (20,000 samples), change 0.00 points, may be random | currentColor .1 1168",
            "Main (App.dll) before 100.0 % (10,000 samples), after 100.0 % (20,000 samples), change 0.00 points, may be random | currentColor .1 1168",
            "Work (App.dll) before 0.0 % (0 samples), after 63.0 % (12,600 samples), change +63.00 points | #D55E00 .48 367.9",
            "Gone (App.dll) before 60.0 % (6,000 samples), after 0.0 % (0 samples), change -60.00 points | #0072B2 .48 350.4",
            "Same (App.dll) before 20.0 % (2,000 samples), after 20.0 % (4,000 samples), change 0.00 points, may be random | currentColor .1 233.6",
            "Rest (App.dll) before 20.0 % (2,000 samples), after 17.0 % (3,400 samples), change -3.00 points | #0072B2 .34 216.1");
        svg.Elements(Svg + "rect").Take(7).Select(box => box.Element(Svg + "title")!.Value).Should().Equal(
            "less: 5 points or more", "less: 1 to 5", "less: below 1 point", "may be random", "more: below 1 point", "more: 1 to 5", "more: 5 points or more");
    }

    [Fact]
    public void Pictures_of_deep_hostile_and_empty_profiles_are_well_formed()
    {
        XElement.Parse(Text(SomeDifferences.Deep().WriteSvg)).Elements(Svg + "rect").Should().HaveCount(7 + 1501, "both have 500 common frames");
        Text(SomeDifferences.Hostile().WriteSvg).Should().NotContainAny("<script", "<img");
        XElement.Parse(Text(SomeDifferences.Hostile().WriteSvg)).Descendants().Select(one => one.Name.LocalName).Distinct().Should().BeEquivalentTo("title", "style", "rect", "text");
        XElement.Parse(Text(SomeDifferences.Empty().WriteSvg)).Value.Should().Contain("No samples in either profile.");
        XElement.Parse(Text(SomeDifferences.Gone().WriteSvg)).Elements(Svg + "rect").Where(box => box.Attribute("fill")!.Value != "currentColor").Should().HaveCount(6, "only the legend has colored boxes");
    }

    [Fact]
    public void The_tree_is_the_union_of_both_trees() => Seeded.Run(30, random =>
    {
        CpuProfile before = Profiles.Random(random), after = Profiles.Random(random);
        FlameTree tree = new(before.Root, after.Root);

        FlameNode[] nodes = [.. tree.GetNodes(0)];

        nodes.Where(node => node.Counts.Before > 0).Sum(node => node.Counts.Before).Should().Be(before.Data.GetNodes().Sum(one => one.Node.Value));
        nodes.Where(node => node.Counts.After > 0).Sum(node => node.Counts.After).Should().Be(after.Data.GetNodes().Sum(one => one.Node.Value));
        foreach (IGrouping<int, FlameNode> row in nodes.GroupBy(node => node.Depth))
        {
            double end = 0;
            foreach (FlameNode node in row)
            {
                node.Start.Should().BeGreaterThanOrEqualTo(end - 1e-9);
                end = node.Start + node.Width;
            }

            end.Should().BeLessThanOrEqualTo(1 + 1e-9);
        }
    });

    private static string Table(CpuProfileDifference difference, int limit = 25) => Text(output => difference.WriteTable(output, limit));
}
