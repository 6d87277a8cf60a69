using System.Text.RegularExpressions;

namespace Picollo.Profiling.Tests.Output;

public partial class FoldedTests
{
    [Fact]
    public void A_stack_with_own_samples_is_a_line()
    {
        Folded(Profiles.Of("Main;Work;Inner 5", "Main 1", "Main;Work 60", "Main.Other;Work 2", "Run 7"))
            .Should().Be("Main 1\nMain.Other;Work 2\nMain;Work 60\nMain;Work;Inner 5\nRun 7\n");
        CpuProfileFrame main = Profiles.Managed("Main");
        Folded(Profiles.OfFrames(([main], 1), ([new(main.Name, "Other.dll", main.Kind)], 2)))
            .Should().Be("Main 3\n", "formats have no modules");
        Folded(Profiles.OfFrames(([], 3))).Should().Be("all 3\n", "samples without a function are counted at the root");
        Folded(Profiles.OfFrames(([Profiles.Managed("a;b"), Profiles.Managed("c\r\nd\u2028\e[1m 5")], 2))).Should().Be("a:b;c??d??[1m 5 2\n");
        Folded(Profiles.Of()).Should().BeEmpty();
    }

    [Fact]
    public void Every_line_of_a_random_profile_can_be_parsed_and_no_sample_is_missing() => Seeded.Run(50, random =>
    {
        CpuProfile profile = Profiles.Random(random);

        string[] lines = Folded(profile).Split('\n');

        lines[^1].Should().BeEmpty();
        Match[] parsed = [.. lines[..^1].Select(line => Line().Match(line))];
        parsed.Should().NotContain(match => !match.Success);
        parsed.Sum(match => long.Parse(match.Groups["count"].Value, System.Globalization.CultureInfo.InvariantCulture)).Should().Be(profile.SampleCount);
        parsed.Select(match => match.Groups["stack"].Value).Should().OnlyHaveUniqueItems().And.BeInAscendingOrder(StringComparer.Ordinal);
    });

    private static string Folded(CpuProfile profile)
    {
        using var text = new StringWriter { NewLine = "\r\n" };
        profile.WriteFolded(text);
        return text.ToString();
    }

    [GeneratedRegex(@"^(?<stack>[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*) (?<count>[1-9]\d*)\z")]
    private static partial Regex Line();
}
