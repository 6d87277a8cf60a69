using System.Text.Json;
using Picollo.Cli.Stat;
using Picollo.Diagnostics;

namespace Picollo.Cli.Tests.Stat;

/// <summary>Tests of <c>picollo stat --save</c>, <c>--baseline</c> and <c>--fail-above</c>.</summary>
public sealed class StatBaselineTests : FolderTests
{
    private string Main => Folder.PathOf("main.json");

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_slower_command_exceeds_the_limit()
    {
        ToolRun saved = PicolloTool.Run("stat", "-r", "2", "--save", Main, "--", "true");
        (saved.ExitCode, saved.Error.EndsWith($"\nwrote {Main}\n", StringComparison.Ordinal)).Should().Be((0, true));
        JsonSchema.OfCommand("baseline").ProblemsOf(JsonSerializer.Serialize(JsonDocument.Parse(File.ReadAllText(Main)).RootElement))
            .Should().BeEmpty();

        // Times that differ on any machine: the baseline takes 1 µs, and then 1,000 s.
        Save(1_000, 1_001, 1_002);
        ToolRun slower = PicolloTool.Run("stat", "-r", "4", "--baseline", Main, "--fail-above", "50%", "--save", Main, "--", "true");
        slower.ExitCode.Should().Be(3);
        slower.Error.Should().MatchRegex(@"(?s)\nelapsed: \+[0-9.,]+ % \(95 % confidence interval: \+[0-9.,]+\s%\s+to\s+\+[0-9.,]+\s%\):\s+above\s+the\s+limit\s+of\s+50\s%\n")
            .And.Contain("\nthe baseline was saved for a different command: sleep 0.3\n")
            .And.EndWith($"\nbaseline not saved to {Main}: the limit is exceeded\n");

        Save(1_000_000_000_000, 1_001_000_000_000, 1_002_000_000_000);
        ToolRun faster = PicolloTool.Run("stat", "-r", "4", "--baseline", Main, "--fail-above", "50", "--json", "--", "true");
        faster.ExitCode.Should().Be(0);
        JsonSchema.OfCommand("stat").ProblemsOf(faster.Output).Should().BeEmpty();
        JsonElement gate = faster.Output.TrimEnd('\n').Split('\n').Select(line => JsonDocument.Parse(line).RootElement)
            .Single(line => line.GetProperty("kind").GetString() == "gate");
        (gate.GetProperty("isCrossed").GetBoolean(), gate.GetProperty("limit").GetDouble()).Should().Be((false, 0.5));
        gate.GetProperty("change").GetDouble().Should().BeInRange(-1, -0.5);

        void Save(params long[] nanoseconds)
        {
            CommandSeries series = new();
            Array.ForEach(nanoseconds, elapsed => series.Add(new CommandRun { ElapsedNanoseconds = elapsed, ExitCode = 0, Usage = StatTextTests.Run(0).Usage }));
            new Baseline("sleep 0.3", Machine.Read(), series).Write(Main);
        }
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_failed_run_with_a_baseline_returns_exit_code_1_and_is_not_saved()
    {
        PicolloTool.Run("stat", "-r", "2", "--save", Main, "--", "true").ExitCode.Should().Be(0);
        string before = File.ReadAllText(Main);

        ToolRun failed = PicolloTool.Run("stat", "-r", "2", "--baseline", Main, "--save", Main, "-c", "exit 42");
        ToolRun absent = PicolloTool.Run("stat", "-r", "2", "--baseline", Main, "--", "picollo-no-such-program");

        failed.ExitCode.Should().Be(1);
        failed.Error.Should().Contain("2 of 2 runs failed; the first exited with code 42").And.NotContain("confidence")
            .And.EndWith($"\nbaseline not saved to {Main}: not all runs succeeded\n");
        absent.Should().Be(new ToolRun(1, "", "picollo: picollo-no-such-program: No such file or directory\n"));
        File.ReadAllText(Main).Should().Be(before);
        PicolloTool.Run("stat", "--save", Main, "-c", "exit 42").ExitCode.Should().Be(42, "without a baseline, the exit code of the command is returned");
    }

    [Theory]
    [InlineData(null, "No such file or directory")]
    [InlineData("", "not a baseline file written by picollo stat --save")]
    [InlineData("[]", "not a baseline file written by picollo stat --save")]
    [InlineData("{\"kind\":\"run\"}", "not a baseline file written by picollo stat --save")]
    [InlineData("{\"kind\":\"picollo-baseline\",\"version\":2}", "the baseline does not have version 1; save it again")]
    [InlineData(Head + "[{\"name\":\"elapsedNanoseconds\",\"unit\":\"nanoseconds\",\"values\":[-1]}]}", "not a baseline file written by picollo stat --save")]
    [InlineData(Head + "[{\"name\":\"elapsedNanoseconds\",\"unit\":\"hours\",\"values\":[1]}]}", "not a baseline file written by picollo stat --save")]
    [InlineData(Head + "[]}", "the baseline contains no elapsed times")]
    [InlineData(
        Head + "[{\"name\":\"elapsedNanoseconds\",\"unit\":\"nanoseconds\",\"values\":[1]}]}",
        "the baseline has a single run; save it with several runs (-r) to estimate the variance")]
    public void An_invalid_baseline_returns_exit_code_1_before_the_command_runs(string? content, string reason)
    {
        if (content is not null)
        {
            File.WriteAllText(Main, content);
        }

        PicolloTool.RunHere("stat", "-r", "2", "--baseline", Main, "--fail-above", "5%", "--", "picollo-no-such-program")
            .Should().Be(new ToolRun(1, "", $"picollo: {Main}: {reason}\n"));
    }

    [Fact]
    public void A_saved_baseline_can_be_read()
    {
        CommandSeries series = new();
        series.Add(StatTextTests.Run(0));
        series.Add(StatTextTests.Run(1));
        Baseline baseline = new("sort 'ä'", Machine.Read(), series);

        baseline.Write(Main);
        Baseline read = Baseline.Read(Main);

        (read.Command, read.Machine).Should().Be((baseline.Command, baseline.Machine));
        read.Series.Measures.Select(measure => (measure.Name, measure.Title, measure.Unit, string.Join(',', measure.Values)))
            .Should().Equal(series.Measures.Select(measure => (measure.Name, measure.Title, measure.Unit, string.Join(',', measure.Values))));
    }

    [Fact]
    public void A_different_machine_is_reported()
    {
        File.WriteAllText(Main, Head + "[{\"name\":\"elapsedNanoseconds\",\"unit\":\"nanoseconds\",\"values\":[1,1]}]}");

        string report = PicolloTool.RunHere("stat", "--baseline", Main, "--", "git", "--version").Error;

        report.Replace('\n', ' ').Should().Contain($"the baseline was saved on a different machine: 3 × Z80, X64, CP/M; this machine: {Machine.Read()}");
    }

    private const string Head = """
        {"kind":"picollo-baseline","version":1,"command":"git --version","machine":{"system":"CP/M","architecture":"X64","cpu":"Z80","cpuCount":3},"measures":
        """;

    [Theory]
    [InlineData(0.06, 0.051, 0.07, true, "elapsed: +6.0 % (95 % confidence interval: +5.1 % to +7.0 %): above the limit of 5 %")]
    [InlineData(0.06, 0.05, 0.07, false, "elapsed: +6.0 % (95 % confidence interval: +5.0 % to +7.0 %): inconclusive: the limit of 5 % is within the interval; use more runs (-r) to narrow it")]
    [InlineData(-0.5, -0.6, 0.05, false, "elapsed: -50.0 % (95 % confidence interval: -60.0 % to +5.0 %): within the limit of 5 %")]
    public void A_limit_is_exceeded_if_the_whole_interval_is_above_it(double mean, double low, double high, bool isCrossed, string text)
    {
        Gate gate = new(new Change(mean, low, high), Limit: 0.05);

        (gate.IsCrossed, gate.ToString()).Should().Be((isCrossed, text));
    }
}
