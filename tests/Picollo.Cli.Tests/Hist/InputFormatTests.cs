using System.Text.Json;

namespace Picollo.Cli.Tests.Hist;

/// <summary>Tests the recognition of inputs that other programs wrote, the selection of the part to read, and the errors of inputs that
/// contradict themselves.</summary>
public class InputFormatTests
{
    private static readonly string Folder = Path.Combine(Repository.Root, "tests/Picollo.Cli.Tests/Hist/Inputs");

    [Fact]
    public void Distributions_of_other_programs_are_recognized_by_content()
    {
        using TemporaryFolder folder = new();
        string[] logs = ["mixed-tags.hlog", "foreign-comment.txt", "net-log-comma.txt", "no-heading-log.txt", "wrk2-uncorrected.txt", "README.md"];
        string[] names = [.. Directory.GetFiles(Folder).Select(path => Path.GetFileName(path)!).Except(logs)];
        names.Should().HaveCount(15);
        foreach (string name in names)
        {
            string text = File.ReadAllText(Path.Combine(Folder, name));
            File.WriteAllText(folder.PathOf("renamed.hgrm"), text);
            foreach (ToolRun run in new[]
            {
                PicolloTool.RunHere("hist", Path.Combine(Folder, name), "--json"),
                PicolloTool.RunHere("hist", folder.PathOf("renamed.hgrm"), "--json"),
                PicolloTool.RunHereWithInput(text, "hist", "--json"),
                PicolloTool.RunHereWithInput(text.ReplaceLineEndings("\r\n"), "hist", "--json"),
                PicolloTool.RunHereWithInput("\uFEFF" + text, "hist", "--json"),
            })
            {
                (run.ExitCode, run.Error).Should().Be((0, ""), name);
                Read(run).Should().Be((10, 2, 9), name);
            }
        }
    }

    [Theory]
    [InlineData("mixed-tags.hlog", 3, 100)]
    [InlineData("foreign-comment.txt", 3, 100)]
    [InlineData("net-log-comma.txt", 3, 100)]
    [InlineData("no-heading-log.txt", 3, 100)]
    public void Logs_are_recognized_by_content_and_untagged_intervals_are_selectable(string name, int count, double median)
    {
        string text = File.ReadAllText(Path.Combine(Folder, name));

        ToolRun run = PicolloTool.RunHereWithInput(text, "hist", "--json", "--untagged");

        (run.ExitCode, run.Error).Should().Be((0, ""));
        Read(run).Should().Be((count, median, median));
        JsonDocument.Parse(run.Output).RootElement.GetProperty("mean").GetDouble().Should().Be(median);
    }

    [Fact]
    public void Merging_intervals_of_different_tags_prints_a_note_and_untagged_intervals_must_exist()
    {
        string path = Path.Combine(Folder, "mixed-tags.hlog");
        ToolRun run = PicolloTool.RunHere("hist", path, "--json");
        string tagged = string.Concat(File.ReadLines(path).Where(line => !line.StartsWith("0.000", StringComparison.Ordinal)).Select(line => line + "\n"));

        Read(run).Count.Should().Be(4);
        run.Error.Should().Be($"picollo: {path}: merged intervals with different tags (no tag, queueing); select with --tag or --untagged\n");
        PicolloTool.RunHere("hist", path, "--json", "--tag", "queueing").Error.Should().BeEmpty();
        PicolloTool.RunHereWithInput(tagged, "hist", "--untagged").Should().Be(new ToolRun(1, "", "picollo: all intervals have a tag; available tags: queueing\n"));
    }

    [Fact]
    public void The_recorded_latencies_of_wrk2_are_read_and_the_uncorrected_ones_are_reported()
    {
        ToolRun run = PicolloTool.RunHereWithInput(File.ReadAllText(Path.Combine(Folder, "wrk2-uncorrected.txt")), "hist", "--json");

        Read(run).Should().Be((10, 2, 9));
        run.Error.Should().Be("picollo: standard input: read the recorded latencies; the uncorrected latencies (line 28) are not included\n");
    }

    // A change of locale-comma.hgrm, and the error; null if the change can be the output of another library.
    [Theory]
    [InlineData("0,750000            8", "0,850000            8", "line 5: The last column is 4, which is not 1/(1-0.85)")]
    [InlineData("0,900000           10        10,00", "0,900000            8        10,00", "line 6: The count is too small for its rank: the total count is 10")]
    [InlineData("0,750000            8", "0,750000           10", "line 6: The count of the line before is too large for this rank: the total count is 10")]
    [InlineData("0,750000            8", "0,750000            5", "line 5: The line has a smaller value, rank or count than the line before it")]
    [InlineData("        4,00", "       40,00", "line 5: The last column is 40, which is not 1/(1-0.75)")]
    [InlineData("3,000     0,750000", "3.000     0,750000", "line 5: The line does not start with a value, a rank and a count")]
    [InlineData("3,000     0,750000", "-3,000     0,750000", "line 5: The line does not start with a value, a rank and a count")]
    [InlineData("Mean    =        3,000", "Mean    =     3000,000", "line 8: The mean is 3000, but the values allow 1.3996 to 3.4005")]
    [InlineData("Max     =        9,000", "Max     =        3,100", null)]
    [InlineData("Max     =        9,000", "Max     =        2,900", "line 9: The maximum 2.9 is not in the last bucket, which ends at 9")]
    [InlineData("Max     =        9,000", "Max     =       12,000", "line 9: The maximum 12 is not in the last bucket, which ends at 9")]
    [InlineData("Total count    =           10", "Total count    =           11", "line 9: The total count 11 is not the count of the last line, 10")]
    [InlineData("       9,000     1,000000           10          inf\n", "", "line 6: The distribution is incomplete: it ends at the rank 0.9")]
    public void A_distribution_that_contradicts_itself_is_an_error(string before, string after, string? problem)
    {
        string text = File.ReadAllText(Path.Combine(Folder, "locale-comma.hgrm"));
        text.Should().Contain(before);

        ToolRun run = PicolloTool.RunHereWithInput(text.Replace(before, after, StringComparison.Ordinal), "hist", "--json");

        (run.ExitCode, run.Error).Should().Be(problem is null ? (0, "") : (1, $"picollo: standard input: {problem}\n"));
    }

    [Fact]
    public void A_format_can_be_specified()
    {
        const string Lines = "1.000 0.5 5\n9.000 1.0 10\n";

        PicolloTool.RunHereWithInput(Lines, "hist").Error.Should().Be(
            "picollo: standard input: line 1: not a number; use --format to specify another format: '1.000 0.5 5'\n");
        Read(PicolloTool.RunHereWithInput(Lines, "hist", "--format", "hgrm", "--json")).Should().Be((10, 1, 9));
        PicolloTool.RunHereWithInput(Lines, "hist", "--format", "log").Error.Should().StartWith("picollo: standard input: line 1: The histogram is not valid base64");
        Read(PicolloTool.RunHereWithInput("a,b\n1,2\n", "hist", "--format", "csv", "--column", "b", "--json")).Count.Should().Be(1);
        PicolloTool.RunHereWithInput("1\n", "hist", "--format", "log").ExitCode.Should().Be(1);
    }

    [Theory]
    [InlineData("10.108: I:6 (   2.000   9.000\n")]
    [InlineData("10.108: I:6 ( 2.000 9.000 8.000 ) T:3 ( 2.000 9.000 9.000 9.000 9.000 8.000 )\n")]
    [InlineData("10.108: I:6 ( 2.000 9.000 8.000 ) T:10 ( 2.000 9.000 8.000 9.000 9.000 8.000 )\n")]
    public void An_invalid_line_of_a_log_of_percentiles_is_reported(string line)
    {
        string text = string.Concat(File.ReadLines(Path.Combine(Folder, "jhiccup1-log.txt")).Take(5).Select(each => each + "\n")) + line;

        PicolloTool.RunHereWithInput(text, "hist").Should().Be(
            new ToolRun(1, "", "picollo: standard input: line 6: not the percentiles of an interval and of all intervals up to it\n"));
        Read(PicolloTool.RunHereWithInput(text, "hist", "--on-error", "skip", "--json")).Count.Should().Be(4);
    }

    [Fact]
    public void The_count_of_a_percentile_of_a_log_is_rounded_up()
    {
        string names = File.ReadLines(Path.Combine(Folder, "logprocessor-intervals.txt")).ElementAt(2);

        ToolRun run = PicolloTool.RunHereWithInput($"{names}\n1.0,7,1.0,2.0,3.0,7,1.0,2.0,3.0,3.0,3.0,3.0\n", "hist", "--json");

        Read(run).Should().Be((7, 1, 2));
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Lines_that_arrive_late_are_recognized()
    {
        ToolRun run = PicolloTool.RunInShell($"cd '{Folder}'; (head -12 wrk2-full-output.txt; sleep 0.3; tail -n +13 wrk2-full-output.txt) | $picollo hist --json");

        run.Error.Should().BeEmpty();
        Read(run).Should().Be((10, 2, 9));
    }

    private static (int Count, double Median, double P90) Read(ToolRun run)
    {
        run.ExitCode.Should().Be(0, run.Error);
        JsonElement json = JsonDocument.Parse(run.Output).RootElement;
        Dictionary<double, double?> values = json.GetProperty("percentiles").EnumerateArray().ToDictionary(
            each => each.GetProperty("percentile").GetDouble(),
            each => each.GetProperty("value").ValueKind == JsonValueKind.Number ? each.GetProperty("value").GetDouble() : (double?)null);
        return (json.GetProperty("count").GetInt32(), values[50] ?? double.NaN, values[90] ?? values[50] ?? double.NaN);
    }
}
