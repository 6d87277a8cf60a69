using System.Globalization;
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
    public void The_table_of_a_profile_matches_the_golden_file() => Golden("profile", Table(Profile));

    [Fact]
    public void The_table_can_be_limited_to_the_first_functions() => Golden("profile-limit", Table(Profile, 2));

    [Fact]
    public void The_table_of_an_empty_profile_matches_the_golden_file() => Golden("profile-empty", Table(new CpuProfile(new ProfileData(Profiles.RootOf()) { Title = "app", Frequency = 99 })));

    [Fact]
    public void ToString_returns_the_table() => Profile.ToString().Should().Be(Table(Profile, 25));

    [FactNeeding(Need.Cultures)]
    public void The_culture_does_not_matter()
    {
        CultureInfo before = CultureInfo.CurrentCulture;
        string table = Table(Profile);
        try
        {
            CultureInfo.CurrentCulture = Cultures.German;
            Table(Profile).Should().Be(table);
        }
        finally
        {
            CultureInfo.CurrentCulture = before;
        }

        table.Should().Contain("1,805.250 s");
    }

    [Fact]
    public void A_limit_below_one_is_rejected() =>
        FluentActions.Invoking(() => Table(Profile, 0)).Should().Throw<ArgumentOutOfRangeException>().WithParameterName("limit");

    [Fact]
    public void Control_characters_in_names_are_replaced()
    {
        CpuProfileFrame frame = new("a\u202Eb\uD800", "c\u0085", CpuProfileFrameKind.Native);

        frame.Should().Be(new CpuProfileFrame("a?b?", "c?", CpuProfileFrameKind.Native));
        new CpuProfileFrame("naïve\0", "", CpuProfileFrameKind.Native).Name.Should().Be("naïve?");
    }

    private static string Table(CpuProfile profile, int limit = 25)
    {
        using var text = new StringWriter { NewLine = "\n" };
        profile.WriteTable(text, limit);
        return text.ToString();
    }

    private static void Golden(string name, string output)
    {
        string path = Path.Combine(Repository.Root, $"tests/Picollo.Profiling.Tests/Output/{name}.txt");
        if (Environment.GetEnvironmentVariable("PICOLLO_APPROVE") == "1")
        {
            File.WriteAllText(path, output);
        }

        output.Should().Be(File.ReadAllText(path).ReplaceLineEndings("\n"), $"PICOLLO_APPROVE=1 with this test writes {path}");
    }
}
