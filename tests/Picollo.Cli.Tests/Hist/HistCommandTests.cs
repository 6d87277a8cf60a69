using System.Diagnostics;
using System.Text.Json;

namespace Picollo.Cli.Tests.Hist;

/// <summary>Tests the arguments, exit codes and signals of <c>picollo hist</c>, and its use with pipes and terminals.</summary>
public class HistCommandTests
{
    private static readonly TimeSpan Soon = TimeSpan.FromSeconds(30);

    [Fact]
    public void Help_has_examples_and_exit_codes_and_fits_80_columns()
    {
        ToolRun run = PicolloTool.RunHere("hist", "--help");

        run.ExitCode.Should().Be(0);
        run.Output.Should().Contain("Examples:").And.Contain("Exit codes:");
        run.Output.Split('\n').Should().OnlyContain(line => line.Length <= 80);
    }

    [Theory]
    [InlineData("picollo: --scale must be a number from 1e-9 to 1e9, not '0'.", "--scale", "0")]
    [InlineData("picollo: --scale must be a number from 1e-9 to 1e9, not 'x'.", "--scale", "x")]
    [InlineData("picollo: --on-error must be 'fail' or 'skip', not 'stop'.", "--on-error", "stop")]
    [InlineData("picollo: Unrecognized option '--colum'; for a file with this name, use './--colum'.", "--colum", "x")]
    [InlineData("picollo: Only one of the two inputs of --diff can be standard input.", "--diff", "-")]
    [InlineData("picollo: Only one of the two inputs of --diff can be standard input.", "x", "-", "--diff", "-")]
    [InlineData("picollo: --hlog cannot be combined with --diff.", "x", "--diff", "y", "--hlog", "z")]
    [InlineData("picollo: --from and --to must both be numbers of seconds, or both be times such as 2026-11-23T08:00Z.", "x", "--from", "soon")]
    [InlineData("picollo: --from and --to must both be numbers of seconds, or both be times such as 2026-11-23T08:00Z.", "x", "--from", "5", "--to", "2026-11-23")]
    public void Invalid_arguments_are_reported(string message, params string[] arguments)
    {
        ToolRun run = PicolloTool.RunHere(["hist", .. arguments]);

        run.Should().Be(new ToolRun(2, "", $"{message}\nTry 'picollo hist --help'.\n"));
    }

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

    [Fact]
    public void From_and_to_require_a_log() => PicolloTool.RunHereWithInput("1\n", "hist", "--from", "1")
        .Should().Be(new ToolRun(1, "", "picollo: standard input: --from and --to require an interval log\n"));

    /// <summary>PowerShell and HdrHistogram.NET write UTF-16.</summary>
    [Theory]
    [InlineData("utf-16")]
    [InlineData("utf-16BE")]
    public void Inputs_in_UTF_16_are_read(string name)
    {
        var encoding = System.Text.Encoding.GetEncoding(name);
        using TemporaryFolder folder = new();
        string log = File.ReadAllText(Path.Combine(Repository.Root, "tests/Picollo.Export.Tests/Logs/Data/tagged-Log.logV2.hlog"));
        foreach ((string text, int count) in new[] { (log, 32_290), ("1\n2\n3\n", 3) })
        {
            File.WriteAllText(folder.PathOf("input"), text, encoding);
            ToolRun run = PicolloTool.RunHere("hist", folder.PathOf("input"), "--json");
            run.ExitCode.Should().Be(0, run.Error);
            using JsonDocument json = JsonDocument.Parse(run.Output);
            json.RootElement.GetProperty("count").GetInt32().Should().Be(count);
        }
    }

    [Fact]
    public void An_input_without_a_number_is_an_error()
    {
        ToolRun run = PicolloTool.RunHereWithInput("", "hist", "--json");

        run.Should().Be(new ToolRun(1, "", "picollo: standard input: the input contains no numbers\n"));
    }

    [Fact]
    public void A_missing_column_option_is_suggested() =>
        PicolloTool.RunHereWithInput("time,path\n1,/\n", "hist").Error
            .Should().Be("picollo: standard input: line 1: not a number; use --column to read a CSV column, or --format to specify another format: 'time,path'\n");

    [Fact]
    public void Count_overflows_are_reported()
    {
        using TemporaryFolder folder = new();
        const string Heading = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";
        string large = folder.PathOf("large.hgrm");
        File.WriteAllText(large, $"{Heading}       1.000 1.000000000000 18446744073709551615\n");

        PicolloTool.RunHere("hist", large, large).Should().Be(new ToolRun(1, "", $"picollo: {large}: the sum of the counts is 2^64 or more\n"));
        ToolRun log = PicolloTool.RunHere("hist", large, "--hlog", folder.PathOf("large.hlog"));
        (log.ExitCode, log.Error).Should().Be((1, $"picollo: {folder.PathOf("large.hlog")}: a log can only contain counts below 2^63\n"));
    }

    [Fact]
    public void Incompatible_inputs_are_reported()
    {
        string log = Path.Combine(Repository.Root, "tests/Picollo.Export.Tests/Logs/Data/tagged-Log.logV2.hlog");

        PicolloTool.RunHereWithInput("1\n", "hist", log, "-").Error.Should().Be("picollo: standard input: logs cannot be merged with other inputs\n");
        PicolloTool.RunHereWithInput("1\n", "hist", "--tag", "A").Error.Should().Be("picollo: standard input: --tag requires an interval log\n");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Files_and_standard_input_are_merged()
    {
        using TemporaryFolder folder = new();
        File.WriteAllText(folder.PathOf("a"), "1\n2.5");
        File.WriteAllText(folder.PathOf("b"), "3\n");

        ToolRun run = PicolloTool.RunWithInput("4\n", "hist", folder.PathOf("a"), "-", folder.PathOf("b"), "--json");

        JsonDocument.Parse(run.Output).RootElement.GetProperty("count").GetInt32().Should().Be(4);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void An_invalid_line_fails_with_exit_code_1_and_no_output() =>
        PicolloTool.RunWithInput("1\nx\n", "hist").Should().Be(new ToolRun(1, "", "picollo: standard input: line 2: not a number: 'x'\n"));

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_closed_pipe_ends_the_command_silently() =>
        PicolloTool.RunInShell("exec 3> >(true); wait $!; seq 1000 | $picollo hist >&3; echo $? >&2").Error.Should().Be("141\n");

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
        InTerminal("seq 100 | $picollo hist").Should().NotContain("\e", "a short input needs no progress");
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
