using Picollo.Cpu;

namespace Picollo.Profiling.Tests.Output;

public class TableTests
{
    private static readonly CpuProfile Profile = new(new ProfileData(Profiles.RootOf(
        ([Profiles.Managed("Main"), Profiles.Managed("App.Parser.Read")], 1_234),
        ([Profiles.Managed("Main"), Profiles.Managed("App.Parser.Read"), new CpuProfileFrame("memcpy", "libc.so.6", CpuProfileFrameKind.Native)], 50),
        ([Profiles.Managed("Main"), new CpuProfileFrame("libcoreclr.so+0x1f3a0", "libcoreclr.so", CpuProfileFrameKind.Unnamed)], 7),
        ([Profiles.Managed("Main"), Profiles.Managed("\e]0;evil\a\r\n")], 1)))
    {
        Title = "app\e[1m (process 42)",
        Duration = TimeSpan.FromSeconds(1_805.25),
        Frequency = 99,
        CpuUsage = new CpuUsage(12_500_000_000, 750_000_000),
        LostSampleCount = 3,
        Notes = ["The names of libcoreclr.so are unknown: it has no symbols.", "\e[2J"],
    });

    [Fact]
    public void Tables_match_the_golden_files()
    {
        Table(Profile).ShouldBeGolden("profile");
        Table(Profile, 2).ShouldBeGolden("profile-limit");
        Table(new CpuProfile(new ProfileData(Profiles.RootOf()) { Title = "app", Frequency = 99 })).ShouldBeGolden("profile-empty");
        Profile.ToString().ReplaceLineEndings("\n").Should().Be(Table(Profile));
        FluentActions.Invoking(() => Table(Profile, 0)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("limit");
    }

    [FactNeeding(Need.Cultures)]
    public void The_culture_does_not_change_any_output()
    {
        string before = All();
        Cultures.RunInGerman(() => All().Should().Be(before).And.NotContain("\r"));
        before.Should().Contain("1,805.250 s");

        static string All()
        {
            (CpuProfile profile, CpuProfileDifference difference) = (SomeProfiles.Typical(), SomeDifferences.Typical());
            return string.Concat(((Action<TextWriter>[])
            [
                output => Profile.WriteTable(output), profile.WriteSvg, profile.WriteHtml, profile.WriteJson,
                output => difference.WriteTable(output), difference.WriteSvg, difference.WriteHtml,
            ]).Select(Profiles.Text));
        }
    }

    [Fact]
    public void Control_characters_in_names_are_replaced() =>
        new CpuProfileFrame("naïve\0a\u202Eb\uD800", "c\u0085", CpuProfileFrameKind.Native)
        .Should().Be(new CpuProfileFrame("naïve?a?b?", "c?", CpuProfileFrameKind.Native));

    private static string Table(CpuProfile profile, int limit = 25) => Profiles.Text(output => profile.WriteTable(output, limit));
}
