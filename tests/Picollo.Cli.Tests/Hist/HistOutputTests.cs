using System.Globalization;
using System.Text.Json;

namespace Picollo.Cli.Tests.Hist;

/// <summary>Tests the output of <c>picollo hist</c>.</summary>
public sealed class HistOutputTests : FolderTests
{
    private static readonly string Java = Path.Combine(Repository.Root, "tests/Picollo.Export.Tests/Logs/Data");
    private static readonly JsonSchema Schema = JsonSchema.OfCommand("hist");

    [Fact]
    public void Outputs_match_the_golden_files()
    {
        string after = Folder.PathOf("after.txt");
        File.WriteAllText(after, Numbers(500, i => (i * 1.5).ToString(CultureInfo.InvariantCulture)));

        Hist(Squares).Output.ShouldBeApproved("Hist/Golden/summary.txt");
        Hist(Squares, "--json").Output.ShouldBeApproved("Hist/Golden/summary.json");
        Hist("0.0123\n5\n17.5\n1e3\n+5\n\n 7 \r\n", "--unit", "ms").Output.ShouldBeApproved("Hist/Golden/fractions.txt");
        Hist(Numbers(1000, i => Math.Exp(i / 50d).ToString("F3", CultureInfo.InvariantCulture)), "--scale", "1000", "--unit", "ns").Output
            .ShouldBeApproved("Hist/Golden/logarithmic.txt");
        string output = Hist(Squares, "--diff", after).Output;
        output[(output.IndexOf('\n', StringComparison.Ordinal) + 1)..].ShouldBeApproved("Hist/Golden/diff.txt");
    }

    [Fact]
    public void Json_conforms_to_the_schema()
    {
        string log = Path.Combine(Java, "tagged-Log.logV2.hlog");

        Schema.ProblemsOf(Hist(Squares, "--json").Output).Should().BeEmpty();
        Schema.ProblemsOf(Hist("0.5\nx\n", "--json", "--on-error", "skip", "--scale", "1e-9", "--unit", "\e]0;x[/]").Output).Should().BeEmpty();
        Schema.ProblemsOf(Hist("", log, "--json").Output).Should().BeEmpty();
        Schema.ProblemsOf(Hist("0.5\n", "--diff", log, "--json").Output).Should().BeEmpty();
        Schema.ProblemsOf("""{"kind":"summary"}""").Should().NotBeEmpty("the validator must detect an incomplete summary");
    }

    [Fact]
    public void Fractions_and_logs_are_compared_in_a_common_unit()
    {
        string log = Path.Combine(Java, "jHiccup-2.0.7S.logV2.hlog");
        JsonElement json = Json(Hist("0.5\n", "--json", "--diff", log));

        json.GetProperty("before").GetProperty("mean").GetDouble().Should().BeApproximately(0.5, 0.0005);
        json.GetProperty("after").GetProperty("count").GetInt64().Should().Be(48_761);
        json.GetProperty("after").GetProperty("percentiles")[15].GetProperty("value").GetDouble().Should().BeApproximately(1_799_356_416, 4_194_304);

        json = Json(Hist("", log, "--json", "--scale", "1e-6", "--unit", "ms"));
        json.GetProperty("unit").GetString().Should().Be("ms");
        json.GetProperty("percentiles")[15].GetProperty("value").GetDouble().Should().Be(1799.356416);
        Json(Hist("1.5\n2.25\n", "--json")).GetProperty("percentiles")[15].GetProperty("value").GetDouble().Should().Be(2.25);
    }

    [Fact]
    public void Intervals_with_a_tag_are_selected_and_merged_from_several_logs()
    {
        string tagged = Path.Combine(Java, "tagged-Log.logV2.hlog");
        string other = Path.Combine(Java, "jHiccup-2.0.6.logV1.hlog");

        Json(Hist("", tagged, other, "--json")).GetProperty("count").GetInt64().Should().Be(32_290 + 65_964);
        Json(Hist("", tagged, "--tag", "A", "--json")).GetProperty("count").GetInt64().Should().Be(16_145);
        ToolRun missing = Hist("", tagged, "--tag", "B");
        (missing.ExitCode, missing.Error).Should().Be((1, "picollo: no interval has the tag 'B'; available tags: A\n"));
    }

    [Fact]
    public void A_damaged_log_line_fails_or_is_skipped()
    {
        string text = File.ReadAllText(Path.Combine(Java, "tagged-Log.logV2.hlog")) + "Tag=A,1.0,1.0,1.0,HISTFAAAgarbage\n";

        Hist(text).Error.Should().StartWith("picollo: standard input: line 47: The histogram is not valid base64");
        ToolRun skipped = Hist(text, "--on-error", "skip", "--json");
        Json(skipped).GetProperty("count").GetInt64().Should().Be(32_290);
        Json(skipped).GetProperty("skippedLineCount").GetInt64().Should().Be(1);
    }

    [Fact]
    public void The_last_of_the_files_is_compared_with_those_before_it()
    {
        string[] paths = [Folder.PathOf("a.txt"), Folder.PathOf("b.txt"), Folder.PathOf("c.txt")];
        foreach ((string path, string numbers) in paths.Zip(["1\n", "3\n", "3\n5\n"]))
        {
            File.WriteAllText(path, numbers);
        }

        JsonElement json = Json(Hist("", ["--diff", .. paths, "--json"]));
        string table = Hist("", "--diff", paths[0], paths[2]).Output;

        json.GetProperty("kind").GetString().Should().Be("diff");
        (json.GetProperty("effectSize").GetDouble(), json.GetProperty("meanChangePercent").GetDouble()).Should().Be((2, 100));
        json.GetProperty("before").GetProperty("mean").GetDouble().Should().Be(2);
        json.GetProperty("after").GetProperty("mean").GetDouble().Should().Be(4);
        json.GetProperty("after").GetProperty("name").GetString().Should().Be(paths[2]);
        table.Should().MatchRegex(@"(?m)^\| Percentile +\| +[^|]*a\.txt \| +[^|]*c\.txt \| +Δ% \|$").And.MatchRegex("(?m)^.*a.txt: value at rank$").And.MatchRegex("(?m)^.*c.txt: value at rank$");
    }

    [Fact]
    public void Control_characters_in_names_are_replaced()
    {
        string path = Folder.PathOf("\e]0;x[|]\a");
        File.WriteAllText(path, "5\n\e[2J\n");

        ToolRun run = Hist("a,\e]0;x[/]\n", path, "-", "--on-error", "skip", "--unit", "\e[31mms");

        run.ExitCode.Should().Be(0);
        (run.Output + run.Error).Should().NotContain("\e").And.NotContain("\a");
        run.Error.Should().Contain("?]0;x[|]?: line 2: not a number: '?[2J'");
        run.Output.Split('\n').Should().OnlyContain(line => line.Length <= 80);
        Hist("a,\e]0;x[/]\n", "--column", "b").Error.Should().Be("picollo: standard input: no column 'b'; available columns: a, ?]0;x[/]\n");
    }

    [Fact]
    public void Long_names_are_shortened_to_fit_a_line()
    {
        string path = Folder.PathOf(new string('n', 200) + "end.txt");
        File.WriteAllText(path, "5\n");

        Hist("", path, "--unit", "ms").Output.Split('\n')[0].Should().EndWith("end.txt, ms").And.Match(line => line.Length > 60 && line.Length <= 80);
        Hist("", path, "--diff", path).Output.Split('\n')[0].Length.Should().BeInRange(60, 80);
    }

    private static string Squares => Numbers(1000, i => (i * i).ToString(CultureInfo.InvariantCulture));

    private static string Numbers(int count, Func<int, string> number) => string.Concat(Enumerable.Range(1, count).Select(i => number(i) + "\n"));

    private static ToolRun Hist(string input, params string[] arguments) => PicolloTool.RunHereWithInput(input, ["hist", .. arguments]);

    private static JsonElement Json(ToolRun run)
    {
        run.ExitCode.Should().Be(0, run.Error);
        return JsonDocument.Parse(run.Output).RootElement;
    }
}
