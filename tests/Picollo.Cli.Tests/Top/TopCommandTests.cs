using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Picollo.Cli.Tests.Top;

/// <summary>End-to-end tests of <c>picollo top</c> without a terminal.</summary>
[Trait("Category", "Slow")]
public class TopCommandTests
{
    private const int HeaderFields = 13;
    private const double TickSeconds = 0.01;

    private static readonly string[] Columns = ["PID", "USER", "PR", "NI", "VIRT", "RES", "SHR", "S", "%CPU", "%MEM", "%WAIT", "TIME+", "COMMAND"];

    [FactNeeding(Need.Linux)]
    public void A_page_has_the_lines_and_columns_of_top_and_all_processes()
    {
        ToolRun run = PicolloTool.Run("top", "-b", "-n", "1");

        (run.ExitCode, run.Error).Should().Be((0, ""));
        string[] lines = run.Output.TrimEnd('\n').Split('\n');
        lines[0].Should().MatchRegex("^top - [0-2][0-9]:[0-5][0-9]:[0-5][0-9] up .*, +load average: [0-9.]+, [0-9.]+, [0-9.]+$");
        lines[1].Should().MatchRegex("^Tasks: +[0-9]+ total, +[0-9]+ running, +[0-9]+ sleeping, +[0-9]+ stopped, +[0-9]+ zombie$");
        lines[2].Should().MatchRegex(@"^%Cpu\(s\): *[0-9.]+ us, +[0-9.]+ sy, +[0-9.]+ ni, +[0-9.]+ id, +[0-9.]+ wa, +[0-9.]+ hi, +[0-9.]+ si, +[0-9.]+ st");
        lines[3].Should().MatchRegex("^.iB Mem : +[0-9.]+ total, +[0-9.]+ free, +[0-9.]+ used, +[0-9.]+ buff/cache$");
        lines[4].Should().MatchRegex("^.iB Swap: +[0-9.]+ total, +[0-9.]+ free, +[0-9.]+ used. +[0-9.]+ avail Mem$");
        List<string[]> rows = Rows(run.Output);
        rows.Should().Contain(row => row[12].StartsWith("Picollo.Cli") && row[7] == "R" && row[1] == TopUser.Shown);
        lines[1].Should().StartWith(string.Create(CultureInfo.InvariantCulture, $"Tasks: {rows.Count,3} total"));
        run.Output.Should().NotContain("\e");
    }

    [FactNeeding(Need.Linux)]
    public void Without_a_terminal_pages_are_written_by_default()
    {
        ToolRun run = PicolloTool.RunInShell("$picollo top -n 2 -d 0.1 -1 < /dev/null");

        run.ExitCode.Should().Be(0);
        run.Output.Split("\n\ntop - ").Should().HaveCount(2);
        run.Output.Should().Contain("\n%Cpu0  :").And.NotContain("%Cpu(s)");
        run.Output.Split('\n').Count(line => line.StartsWith("%Cpu", StringComparison.Ordinal)).Should().Be(2 * File.ReadLines("/proc/stat").Count(line => line.StartsWith("cpu", StringComparison.Ordinal) && char.IsAsciiDigit(line[3])));
    }

    [FactNeeding(Need.Linux)]
    public void Processes_and_sort_orders_can_be_selected_and_piped_lines_are_not_truncated()
    {
        string argument = new('x', 600);
        using Process sleeper = Process.Start("/bin/sh", ["-c", "sleep 100 & wait", argument]);
        try
        {
            string ids = $"{sleeper.Id},1";
            Rows(PicolloTool.Run("top", "-n1", "-p", ids, "-o", "PID").Output).Select(row => row[0]).Should().Equal($"{sleeper.Id}", "1");
            Rows(PicolloTool.Run("top", "-n1", "-p", ids, "-o", "-PID").Output).Select(row => row[0]).Should().Equal("1", $"{sleeper.Id}");
            string[] row = Rows(PicolloTool.Run("top", "-bcn1", "-p", $"{sleeper.Id}").Output).Single();
            row[12].Should().Be($"/bin/sh -c sleep 100 & wait {argument}");
            PicolloTool.Run("top", "-bc", "-w", "90", "-n", "1").Output.Split('\n').Should().OnlyContain(line => line.Length <= 90);
        }
        finally
        {
            sleeper.Kill(entireProcessTree: true);
        }
    }

    [FactNeeding(Need.Linux)]
    public void Json_conforms_to_the_schema_and_matches_proc()
    {
        ToolRun run = PicolloTool.Run("top", "--json", "-Hc", "-n", "2", "-d", "0.2");
        double before = UserSeconds();
        using JsonDocument one = JsonDocument.Parse(PicolloTool.Run("top", "--json", "-c", "-n1", "-p", $"{Environment.ProcessId}").Output);

        (run.ExitCode, run.Error).Should().Be((0, ""));
        JsonSchema.OfCommand("top").ProblemsOf(run.Output).Should().BeEmpty();
        run.Output.Should().NotContain("\"kind\":\"note\"");
        string[] pages = run.Output.Split('\n', StringSplitOptions.RemoveEmptyEntries);
        pages.Should().HaveCount(2);
        pages[1].Should().MatchRegex("\"session\":{[^}]*\"p99CpuShare\":[0-9.]");

        JsonElement me = one.RootElement.GetProperty("processes").EnumerateArray().Single();
        me.GetProperty("user").GetString().Should().Be(Environment.UserName);
        me.GetProperty("threadCount").GetInt32().Should().BeCloseTo(Directory.GetDirectories("/proc/self/task").Length, 10);
        me.GetProperty("commandLine").EnumerateArray().Select(word => word.GetString())
            .Should().Equal(File.ReadAllText("/proc/self/cmdline").TrimEnd('\0').Split('\0'));
        (me.GetProperty("userNanoseconds").GetDouble() / 1e9)
            .Should().BeInRange(before - (2 * TickSeconds), UserSeconds() + (2 * TickSeconds));

        static double UserSeconds() => Process.GetCurrentProcess().UserProcessorTime.TotalSeconds;
    }

    [FactNeeding(Need.Linux)]
    public void Control_characters_in_process_names_are_replaced()
    {
        const string Script = "(printf '\\033]0;x\\n\\342\\200\\256y' > /proc/self/comm; exec -a $'z\\e[2J\\n' sleep 100) & printf '\\033]0;x' > /proc/$!/comm; "
            + "$picollo top -b -n1 -p $$,$!; $picollo top -bc -n1 -p $$,$!; $picollo top --json -cn1; kill $!";

        ToolRun run = PicolloTool.RunInShell(Script);

        run.Output.Should().NotContainAny("\e", "\u202e", "\r").And.Contain("z?[2J?");
    }

    [FactNeeding(Need.Linux)]
    public void An_interrupt_ends_with_complete_pages()
    {
        using TemporaryFolder folder = new();

        // With job control, background jobs of the shell do not ignore the signal, but the shell reports their end.
        ToolRun interrupted = SignalAfterAPage("set -m; $picollo top -b -d 100", "INT");
        ToolRun terminated = SignalAfterAPage("$picollo top --json -d 100", "TERM");

        interrupted.ExitCode.Should().Be(130, interrupted.Error);
        Rows(interrupted.Output).Should().NotBeEmpty();
        (terminated.ExitCode, terminated.Error).Should().Be((143, ""));
        JsonSchema.OfCommand("top").ProblemsOf(terminated.Output).Should().BeEmpty();

        ToolRun SignalAfterAPage(string command, string signal) => PicolloTool.RunInShell(
            $"{command} > {folder.PathOf(signal)} & until [ -s {folder.PathOf(signal)} ]; do sleep 0.02; done; "
            + $"kill -{signal} $!; wait $!; code=$?; cat {folder.PathOf(signal)}; exit $code");
    }

    [FactNeeding(Need.Linux)]
    public void It_is_an_error_if_none_of_the_processes_exists()
    {
        ToolRun none = PicolloTool.Run("top", "-b", "-n", "1", "-p", "2147483647");
        (none.ExitCode, none.Output, none.Error).Should().Be((1, "", "picollo: no such process: 2147483647\n"));
        Rows(PicolloTool.Run("top", "-b", "-n", "1", "-p", "2147483647,1").Output).Should().ContainSingle();
    }

    [FactNeeding(Need.Linux)]
    public void A_process_that_ends_leaves_an_empty_list()
    {
        string output = PicolloTool.RunInShell("sleep 100 & $picollo top -b -n 2 -d 1 -p $! | while read -r line; do echo \"$line\"; case \"$line\" in *sleep) kill $!; esac; done").Output;

        Rows(output).Should().BeEmpty("the process has exited before the last page");
        output.Should().Contain("sleep");
    }

    /// <summary>Returns the rows of the last page.</summary>
    private static List<string[]> Rows(string output)
    {
        string[] lines = output[output.LastIndexOf("top - ", StringComparison.Ordinal)..].TrimEnd('\n').Split('\n');
        int header = Array.FindIndex(lines, line => line.Contains("PID USER"));
        lines[header].Split(' ', StringSplitOptions.RemoveEmptyEntries).Should().Equal(Columns);
        return [.. lines[(header + 1)..].Select(line => line.Split(' ', HeaderFields, StringSplitOptions.RemoveEmptyEntries))];
    }
}
