using System.Globalization;
using System.Text.Json;

namespace Picollo.Cli.Tests.Hist;

/// <summary>Tests the output of <c>picollo hist</c>.</summary>
public class HistOutputTests
{
    private static readonly string Java = Path.Combine(Repository.Root, "tests/Picollo.Export.Tests/Logs/Data");
    private static readonly JsonSchema Schema = JsonSchema.OfCommand("hist");

    [Fact]
    public void A_summary_and_its_chart_match_the_golden_file() => Hist(Squares).Output.ShouldBeApproved("Hist/Golden/summary.txt");

    [Fact]
    public void The_summary_of_fractions_matches_the_golden_file() =>
        Hist("0.0123\n5\n17.5\n1e3\n+5\n\n 7 \r\n", "--unit", "ms").Output.ShouldBeApproved("Hist/Golden/fractions.txt");

    [Fact]
    public void A_logarithmic_chart_matches_the_golden_file() =>
        Hist(Numbers(1000, i => Math.Exp(i / 50d).ToString("F3", CultureInfo.InvariantCulture)), "--scale", "1000", "--unit", "ns").Output
            .ShouldBeApproved("Hist/Golden/logarithmic.txt");

    [Fact]
    public void A_comparison_matches_the_golden_file()
    {
        using TemporaryFolder folder = new();
        File.WriteAllText(folder.PathOf("after.txt"), Numbers(500, i => (i * 1.5).ToString(CultureInfo.InvariantCulture)));

        string output = Hist(Squares, "--diff", folder.PathOf("after.txt")).Output;

        output.Replace(folder.Path, "…", StringComparison.Ordinal).Should().NotBe(output, "the output contains the name");
        Untitled(output).ShouldBeApproved("Hist/Golden/diff.txt");
    }

    [Fact]
    public void The_json_of_a_summary_matches_the_golden_file() => Hist(Squares, "--json").Output.ShouldBeApproved("Hist/Golden/summary.json");

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
    public void Json_of_a_comparison_contains_both_summaries_and_the_change()
    {
        using TemporaryFolder folder = new();
        File.WriteAllText(folder.PathOf("after.txt"), "3\n5\n");

        JsonElement json = Json(Hist("1\n3\n", "--json", "--diff", folder.PathOf("after.txt")));

        json.GetProperty("kind").GetString().Should().Be("diff");
        json.GetProperty("effectSize").GetDouble().Should().Be(2);
        json.GetProperty("meanChangePercent").GetDouble().Should().Be(100);
        json.GetProperty("before").GetProperty("mean").GetDouble().Should().Be(2);
        json.GetProperty("after").GetProperty("mean").GetDouble().Should().Be(4);
        json.GetProperty("after").GetProperty("name").GetString().Should().Be(folder.PathOf("after.txt"));
    }

    [Fact]
    public void Fractions_and_logs_are_compared_in_a_common_unit()
    {
        JsonElement json = Json(Hist("0.5\n", "--json", "--diff", Path.Combine(Java, "jHiccup-2.0.7S.logV2.hlog")));

        json.GetProperty("before").GetProperty("mean").GetDouble().Should().BeApproximately(0.5, 0.0005);
        json.GetProperty("after").GetProperty("count").GetInt64().Should().Be(48_761);
        json.GetProperty("after").GetProperty("percentiles")[15].GetProperty("value").GetDouble().Should().BeApproximately(1_799_356_416, 4_194_304);
    }

    [Theory]
    [InlineData("jHiccup-2.0.1.logV0.hlog", 61_256, 1_577_058_303)]
    [InlineData("jHiccup-2.0.6.logV1.hlog", 65_964, 1_895_825_407)]
    [InlineData("jHiccup-2.0.7S.logV2.hlog", 48_761, 1_803_550_719)]
    [InlineData("tagged-Log.logV2.hlog", 32_290, 1_551_892_479)]
    public void A_log_of_the_Java_library_is_merged(string name, long count, long max)
    {
        JsonElement json = Json(Hist("", Path.Combine(Java, name), "--json"));

        json.GetProperty("count").GetInt64().Should().Be(count);
        json.GetProperty("percentiles")[15].GetProperty("value").GetInt64().Should().BeInRange(max - (max / 128), max);
        Json(Hist(File.ReadAllText(Path.Combine(Java, name)), "--json")).GetProperty("count").GetInt64().Should().Be(count, "the kind is recognized by its start");
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
    public void Log_values_are_multiplied_by_the_scale()
    {
        JsonElement json = Json(Hist("", Path.Combine(Java, "jHiccup-2.0.7S.logV2.hlog"), "--json", "--scale", "1e-6", "--unit", "ms"));

        json.GetProperty("unit").GetString().Should().Be("ms");
        json.GetProperty("percentiles")[15].GetProperty("value").GetDouble().Should().Be(1799.356416);
    }

    [Fact]
    public void A_percentile_distribution_keeps_its_percentiles()
    {
        const string Distribution = """
                   Value     Percentile TotalCount 1/(1-Percentile)

                   1.500 0.000000000000         10           1.00
                   2.500 0.500000000000         50           2.00
                 100.000 1.000000000000        100
            #[Mean    =       51.150, StdDeviation   =       48.851]
            #[Max     =      100.000, Total count    =          100]
            """;

        JsonElement json = Json(Hist(Distribution, "--json"));

        json.GetProperty("count").GetInt64().Should().Be(100);
        Values(json).Should().HaveElementAt(0, 1.5).And.HaveElementAt(5, 2.5).And.HaveElementAt(6, 100);

        IEnumerable<double> Values(JsonElement of) =>
            of.GetProperty("percentiles").EnumerateArray().Select(one => Math.Round(one.GetProperty("value").GetDouble(), 1));
    }

    [Theory]
    [InlineData("Value Percentile TotalCount\n5 0.5 10\n6 1.0 9\n", "picollo: standard input: line 3: The line has a smaller value, rank or count than the line before it\n")]
    [InlineData("Value Percentile TotalCount\n-5 0.5 10\n", "picollo: standard input: line 2: The line does not start with a value, a rank and a count\n")]
    [InlineData("Value Percentile TotalCount\n5 x 10\n", "picollo: standard input: line 2: The line does not start with a value, a rank and a count\n")]
    public void An_invalid_percentile_distribution_is_reported(string text, string error)
    {
        ToolRun run = Hist(text);

        (run.ExitCode, run.Error).Should().Be((1, error));
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
    public void Percentiles_of_fractions_are_printed_with_the_digits_of_the_input()
    {
        string table = Hist("0.1\n1.5\n2.25\n5\n99.9\n123.456\n", "--unit", "ms").Output;
        JsonElement json = Json(Hist("1.5\n1.5\n2.25\n", "--json"));

        table.Should().MatchRegex(@"(?m)^\| 0 +\| +0\.1 \| ±0\.000[01]").And.MatchRegex(@"(?m)^\| 25 +\| +1\.5 \| ±0\.002 ");
        table.Should().MatchRegex(@"(?m)^\| 50 +\| +2\.25 ").And.MatchRegex(@"(?m)^\| 75 +\| +99\.9 ").And.MatchRegex(@"(?m)^\| 100 +\| +123\.[45]");
        json.GetProperty("percentiles")[0].GetProperty("value").GetDouble().Should().Be(1.5);
        json.GetProperty("percentiles")[15].GetProperty("value").GetDouble().Should().Be(2.25);
    }

    [Fact]
    public void The_last_of_the_files_is_compared_with_those_before_it()
    {
        using TemporaryFolder folder = new();
        string[] paths = [folder.PathOf("a.txt"), folder.PathOf("b.txt"), folder.PathOf("c.txt")];
        foreach ((string path, int number) in paths.Zip([1, 3, 20]))
        {
            File.WriteAllText(path, $"{number}\n");
        }

        JsonElement json = Json(Hist("", ["--diff", .. paths, "--json"]));
        string table = Hist("", "--diff", paths[0], paths[2]).Output;

        json.GetProperty("before").GetProperty("mean").GetDouble().Should().Be(2);
        json.GetProperty("after").GetProperty("mean").GetDouble().Should().Be(20);
        table.Should().MatchRegex(@"(?m)^\| Percentile +\| +[^|]*a\.txt \| +[^|]*c\.txt \| +Δ% \|$").And.MatchRegex("(?m)^.*a.txt: value at rank$").And.MatchRegex("(?m)^.*c.txt: value at rank$");
    }

    [Fact]
    public void Each_written_file_is_reported()
    {
        using TemporaryFolder folder = new();

        Hist("1\n", "--svg", folder.PathOf("a.svg"), "--html", folder.PathOf("b.html"), "--hlog", folder.PathOf("c.hlog")).Error
            .Should().Be($"wrote {folder.PathOf("a.svg")}\nwrote {folder.PathOf("b.html")}\nwrote {folder.PathOf("c.hlog")}\n");
    }

    [Fact]
    public void Control_characters_in_names_are_replaced()
    {
        using TemporaryFolder folder = new();
        string path = folder.PathOf("\e]0;x[|]\a");
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
        using TemporaryFolder folder = new();
        string path = folder.PathOf(new string('n', 200) + "end.txt");
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

    private static string Untitled(string output) => output[(output.IndexOf('\n', StringComparison.Ordinal) + 1)..];
}
