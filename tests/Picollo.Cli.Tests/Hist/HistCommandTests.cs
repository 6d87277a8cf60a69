using System.Diagnostics;
using System.Text.Json;

namespace Picollo.Cli.Tests.Hist;

/// <summary>Tests the arguments, exit codes and signals of <c>picollo hist</c>, and its use with pipes and terminals.</summary>
public sealed class HistCommandTests : FolderTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(30);

    [FactNeeding(Need.Linux)]
    public void Unreadable_inputs_are_reported()
    {
        PicolloTool.RunHere("hist", "/nowhere\e[2J").Should().Be(new ToolRun(1, "", "picollo: /nowhere?[2J: No such file or directory\n"));
        PicolloTool.RunHere("hist", "").Should().Be(new ToolRun(1, "", "picollo: : No such file or directory\n"));
        PicolloTool.RunHere("hist", "@/etc/passwd").Should().Be(new ToolRun(1, "", "picollo: @/etc/passwd: No such file or directory\n"));
        PicolloTool.RunHere("hist", "/tmp").Should().Be(new ToolRun(1, "", "picollo: /tmp: Is a directory\n"));
        PicolloTool.RunHere("hist", "/proc/self/mem").Should().Be(new ToolRun(1, "", "picollo: /proc/self/mem: Input/output error\n"));
    }

    [Theory]
    [InlineData(11_664, "--from", "5", "--to", "20")]
    [InlineData(11_664, "--from", "2015-09-09T15:24:44.474Z", "--to", "2015-09-09T17:24:59.474+02:00")]
    [InlineData(48_761, "--from", "0")]
    public void A_time_range_of_a_log_is_read(int count, params string[] part)
    {
        string log = Path.Combine(Repository.Root, "tests/Picollo.Export.Tests/Logs/Data/jHiccup-2.0.7S.logV2.hlog");
        ToolRun run = PicolloTool.RunHere(["hist", log, "--json", .. part]);

        using JsonDocument json = JsonDocument.Parse(run.Output);
        json.RootElement.GetProperty("count").GetInt32().Should().Be(count);
    }

    /// <summary>PowerShell and HdrHistogram.NET write UTF-16.</summary>
    [Theory]
    [InlineData("utf-16")]
    [InlineData("utf-16BE")]
    public void Inputs_in_UTF_16_are_read(string name)
    {
        var encoding = System.Text.Encoding.GetEncoding(name);
        string log = File.ReadAllText(Path.Combine(Repository.Root, "tests/Picollo.Export.Tests/Logs/Data/tagged-Log.logV2.hlog"));
        foreach ((string text, int count) in new[] { (log, 32_290), ("1\n2\n3\n", 3) })
        {
            File.WriteAllText(Folder.PathOf("input"), text, encoding);
            ToolRun run = PicolloTool.RunHere("hist", Folder.PathOf("input"), "--json");
            run.ExitCode.Should().Be(0, run.Error);
            using JsonDocument json = JsonDocument.Parse(run.Output);
            json.RootElement.GetProperty("count").GetInt32().Should().Be(count);
        }
    }

    [Theory]
    [InlineData("", "standard input: the input contains no numbers", "--json")]
    [InlineData("1\n", "standard input: --from and --to require an interval log", "--from", "1")]
    [InlineData("1\n", "standard input: --tag requires an interval log", "--tag", "A")]
    [InlineData("1\n", "standard input: --untagged requires an interval log", "--untagged")]
    [InlineData("1\n", "standard input: logs cannot be merged with other inputs", "tests/Picollo.Export.Tests/Logs/Data/tagged-Log.logV2.hlog", "-")]
    [InlineData("time,path\n1,/\n", "standard input: line 1: not a number; use --column to read a CSV column, or --format to specify another format: 'time,path'")]
    [InlineData("\n1\n2\n", "standard input: line 3: The text contains no log of percentiles: no line has its column names", "--format", "percentile-log")]
    [InlineData(
        "Value Percentile TotalCount\n5 0.5 1\n6 1.0 2\nValue Percentile TotalCount\n", "standard input: line 4: A second distribution starts; an input can contain only one")]
    public void An_input_that_cannot_be_read_is_reported(string input, string message, params string[] arguments)
    {
        string[] rooted = [.. arguments.Select(word => word.StartsWith("tests/", StringComparison.Ordinal) ? Path.Combine(Repository.Root, word) : word)];

        PicolloTool.RunHereWithInput(input, ["hist", .. rooted]).Should().Be(new ToolRun(1, "", $"picollo: {message}\n"));
    }

    [Fact]
    public void Count_overflows_are_reported()
    {
        const string Heading = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";
        string large = Folder.PathOf("large.hgrm");
        File.WriteAllText(large, $"{Heading}       1.000 1.000000000000 18446744073709551615\n");

        PicolloTool.RunHere("hist", large, large).Should().Be(new ToolRun(1, "", $"picollo: {large}: the sum of the counts is 2^64 or more\n"));
        ToolRun log = PicolloTool.RunHere("hist", large, "--hlog", Folder.PathOf("large.hlog"));
        (log.ExitCode, log.Error).Should().Be((1, $"picollo: {Folder.PathOf("large.hlog")}: a log can only contain counts below 2^63\n"));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Files_and_standard_input_are_merged()
    {
        File.WriteAllText(Folder.PathOf("a"), "1\n2.5");
        File.WriteAllText(Folder.PathOf("b"), "3\n");

        ToolRun run = PicolloTool.RunWithInput("4\n", "hist", Folder.PathOf("a"), "-", Folder.PathOf("b"), "--json");

        JsonDocument.Parse(run.Output).RootElement.GetProperty("count").GetInt32().Should().Be(4);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Output_can_be_piped_to_head() => PicolloTool.RunInShell("seq 1000 | $picollo hist | head -1").Should().Be(new ToolRun(0, "##### standard input\n", ""));

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Ctrl_C_ends_reading_and_prints_the_summary()
    {
        const int Lines = 200_000;
        using Process tool = Process.Start(new ProcessStartInfo(PicolloTool.Path, ["hist", "--json"])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        })!;
        for (int i = 0; i < Lines; i++)
        {
            tool.StandardInput.Write("1234567\n"); // more than a pipe and both blocks can hold, so that a part has been read when all lines are written
        }

        tool.StandardInput.Flush();
        using (Process kill = Process.Start("kill", ["-INT", $"{tool.Id}"]))
        {
            kill.WaitForExit();
        }

        tool.WaitForExit(Soon).Should().BeTrue("the command must end although standard input is open and idle");
        tool.ExitCode.Should().Be(130);
        tool.StandardError.ReadToEnd().Should().BeEmpty();
        JsonElement json = JsonDocument.Parse(tool.StandardOutput.ReadToEnd()).RootElement;
        json.GetProperty("isInterrupted").GetBoolean().Should().BeTrue();
        json.GetProperty("count").GetInt32().Should().BeInRange(1, Lines);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public async Task Progress_of_a_long_input_is_shown_and_then_cleared()
    {
        Task<string> colorless = Task.Run(() => InTerminal("(seq 100000; sleep 1.5; seq 100000) | NO_COLOR=1 $picollo hist"));
        string output = InTerminal("(seq 100000; sleep 1.5; seq 100000) | $picollo hist");

        output.Should().MatchRegex("\r[0-9.]+ [KM]?i?B\e\\[K");
        output[..output.IndexOf("#####", StringComparison.Ordinal)].Should().EndWith("\r\e[K", "the progress bar is cleared before the table is printed");
        (await colorless).Should().NotContain("\e");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_narrow_terminal_has_a_narrow_chart() =>
        InTerminal("stty cols 40; seq 100 | $picollo hist").Split('\n').Should().Contain(line => line.StartsWith("          └") && line.TrimEnd('\r').Length == 40);

    private static string InTerminal(string script)
    {
        ToolRun run = PicolloTool.RunInShell($"export TERM=xterm; script -qec '{script}' /dev/null < /dev/null");
        run.ExitCode.Should().Be(0, run.Error);
        return run.Output;
    }
}
