using System.Globalization;
using System.Text.RegularExpressions;
using Picollo.Cli.Tests.Shell;

namespace Picollo.Cli.Tests.Stat;

/// <summary>End-to-end tests of <c>picollo stat</c>.</summary>
[Trait("Category", "Slow")]
public sealed class StatCommandTests : FolderTests
{
    [FactNeeding(Need.Linux)]
    public void Control_characters_in_process_names_are_replaced()
    {
        // The process waits after a fixed number of steps, so that it is seen even if the tool itself has to wait for a processor.
        const string Named =
            @"printf '\033]0;x[/]' > /proc/self/comm; (i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; sleep 2; :)";

        string table = PicolloTool.Run("stat", "--per-thread", "-c", Named).Error;
        string json = PicolloTool.Run("stat", "--per-thread", "--json", "-c", Named).Output;

        table.Should().Contain("?]0;x[/]").And.NotContain("\e").And.MatchRegex("(?m)^process +thread +name +CPU time +share$");
        json.Should().Contain("]0;x[/]").And.NotContain("\e");
    }

    [FactNeeding(Need.Linux)]
    public void The_report_is_written_to_standard_error_and_the_output_of_the_command_is_unchanged()
    {
        ToolRun run = PicolloTool.Run("stat", "--", "echo", "said");

        (run.ExitCode, run.Output).Should().Be((0, "said\n"));
        run.Error.Should().StartWith("\necho said\n\n").And.NotContain("\e").And.NotContain("\r");
        string[] inKernel = Needs.WhyNot(Need.KernelCounters) is null ? ["cpu-migrations"] : [];
        foreach (string name in (string[])[.. inKernel, "elapsed", "CPU time", "user", "kernel", "max resident", "minor page faults", "voluntary switches"])
        {
            run.Error.Should().MatchRegex($"(?m)^{name} +[0-9]");
        }

        run.Error.Split('\n').Should().OnlyContain(line => line.Length <= 80);
    }

    [FactNeeding(Need.Linux)]
    public void The_end_of_the_command_is_detected_if_SIGCHLD_is_ignored() =>
        PicolloTool.RunInShell("env --ignore-signal=CHLD $picollo stat -- sh -c 'exit 7'").ExitCode.Should().Be(7);

    [FactNeeding(Need.Linux)]
    public void Unavailable_counters_are_reported_once()
    {
        ToolRun run = PicolloTool.Run("stat", "-e", "task-clock,nosuch/a/,nosuch/b/", "-r", "3", "--", "true");

        run.ExitCode.Should().Be(0);
        Regex.Count(run.Error, "(?m)^not counted: nosuch/a/, nosuch/b/: this machine has no PMU").Should().Be(1);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void Bytes_that_are_not_UTF_8_are_passed_on_unchanged()
    {
        const string Hex = "od -An -tx1 | tr -d ' \\n'";
        ToolRun run = PicolloTool.RunInShell($$"""
            $picollo stat -- printf '%s|' $'a\xff\xfe' $'\xc3' ä $'\xed\xb2\x80' | {{Hex}}; echo
            $picollo stat -c $'printf \'\xfe\'' | {{Hex}}; echo
            A=$'\xff' B=$'\xfe' $picollo stat -- sh -c 'printf "$A$B"' | {{Hex}}; echo
            $picollo stat --json -- true $'\xff' | grep -o '"true [^"]*"'
            """);

        run.Output.Should().Be("61fffe7cc37cc3a47cedb2807c\nfe\nfffe\n\"true \\uFFFD\"\n", run.Error);
    }

    [FactNeeding(Need.Linux)]
    public void Exit_codes_are_passed_on()
    {
        ExitCode("stat", "--", "sh", "-c", "exit 7").Should().Be(7);
        ExitCode("stat", "-c", "exit 8").Should().Be(8);
        ExitCode("stat", "--", "sh", "-c", "kill -9 $$").Should().Be(137);
        PicolloTool.Run("stat", "--", "no-such\e[1mprogram")
            .Should().Be(new ToolRun(127, "", "picollo: no-such?[1mprogram: No such file or directory\n"));
        ExitCode("stat", "--", "/etc/passwd/none").Should().Be(127);
        ExitCode("stat", "--", "/etc/passwd").Should().Be(126);
        ExitCode("stat", "-o", "/nonexistent/file", "--", "true").Should().Be(125);
    }

    [FactNeeding(Need.Linux)]
    public void Inaccessible_folders_in_PATH_are_skipped()
    {
        ToolRun run = PicolloTool.RunInShell($"""
            chmod 755 {Folder.Path}; mkdir -m 0 {Folder.Path}/closed; mkdir -m 755 {Folder.Path}/open; touch {Folder.Path}/open/locked
            PATH={Folder.Path}/open:{Folder.Path}/closed:$PATH
            $unprivileged stat -- picollo-no-such-program; echo $?
            $unprivileged stat -- locked; echo $?
            $unprivileged stat -- true 2> /dev/null; echo $?
            rmdir {Folder.Path}/closed
            """);

        run.Output.Should().Be("127\n126\n0\n");
        run.Error.Should().Be("picollo: picollo-no-such-program: No such file or directory\npicollo: locked: Permission denied\n");
    }

    [FactNeeding(Need.Linux)]
    public void The_first_failed_run_determines_the_exit_code()
    {
        ToolRun run = PicolloTool.Run("stat", "-r", "4", "-c", $"echo >> {Folder.Path}/runs; n=$(wc -l < {Folder.Path}/runs); [ $n = 1 ] || exit $((n + 10))");

        run.ExitCode.Should().Be(12);
        run.Error.Should().Contain("\n4 runs\n").And.Contain("3 of 4 runs failed; the first exited with code 12");
    }

    [FactNeeding(Need.Linux)]
    public void A_command_with_a_closed_pipe_is_ended_by_SIGPIPE() =>
        PicolloTool.RunInShell("( $picollo stat -o /dev/null -- yes; echo $? >&2 ) | head -1").Error.Should().Be("141\n");

    [TheoryNeeding(Need.Linux)]
    [InlineData("-- sh -c 'trap \"echo got; kill \\$!; exit 4\" INT; sleep 69 & : > ready; wait'", "kill -INT $!", "got\n130\n", "the command exited with code 4")]
    [InlineData(
        "-r 9 -c 'echo >> runs; if [ $(wc -l < runs) = 3 ]; then : > ready; sleep 70; fi'", "kill -TERM $!", "143\n",
        "2 of 9 runs: interrupted; the incomplete run is excluded")]
    [InlineData( // as timeout(1) does, after one run has ended and the next one has started
        "-r 1000 -- sh -c 'echo >> runs; [ $(wc -l < runs) -lt 2 ] || : > ready; exec sleep 0.3'",
        "kill -INT -- -$!; for i in 1 2 3 4 5; do kill -INT $!; done", "130\n",
        "of 1000 runs: interrupted; the incomplete run is excluded")]
    [InlineData( // a stopped command
        "-c 'echo $$ > ready; kill -STOP $$'", "until grep -qs \") T \" /proc/$(cat ready)/stat; do sleep 0.02; done; kill -TERM $!",
        "143\n",
        "the command was terminated by signal 15")]
    public void A_signal_that_was_not_typed_is_forwarded_once_and_the_summary_is_printed(string arguments, string signal, string output, string report)
    {
        // Without job control (set -m), background commands of a shell ignore SIGINT.
        ToolRun run = PicolloTool.RunInShell($"set -m; cd {Folder.Path}; $picollo stat {arguments} & until [ -e ready ]; do sleep 0.02; done; {signal}; wait $!; echo $?");

        run.Output.Should().Be(output);
        run.Error.Should().Contain(report).And.MatchRegex("(?m)^elapsed +").And.NotContain("failed");
    }

    [FactNeeding(Need.Linux)]
    public void The_report_is_written_to_a_file_or_the_reason_is_reported_before_the_command_runs()
    {
        PicolloTool.Run("stat", "--json", "-o", $"{Folder.Path}/report", "--", "echo", "said")
            .Should().Be(new ToolRun(0, "said\n", $"wrote {Folder.Path}/report\n"));
        File.ReadAllText($"{Folder.Path}/report").Should().StartWith("{\"kind\":\"run\"");
        foreach ((string path, string reason) in ((string, string)[])[("", "No such file or directory"), ("/tmp", "Permission denied"), ("/nowhere/x", "No such file or directory")])
        {
            PicolloTool.Run("stat", "-o", path, "--", "echo", "ran").Should().Be(new ToolRun(125, "", $"picollo: {path}: {reason}\n"));
        }
    }

    [FactNeeding(Need.Linux)]
    public void The_command_is_killed_if_the_tool_is_killed()
    {
        ToolRun run = PicolloTool.RunInShell($$"""
            $picollo stat -c 'sleep 71 & echo $! > {{Folder.Path}}/id; : > {{Folder.Path}}/ready; wait' &
            until [ -e {{Folder.Path}}/ready ]; do sleep 0.02; done
            kill -KILL $!
            for i in $(seq 500); do kill -0 $(cat {{Folder.Path}}/id) 2> /dev/null && ! grep -q ') Z ' /proc/$(cat {{Folder.Path}}/id)/stat || { echo gone; break; }; sleep 0.02; done
            """);

        run.Output.Should().Be("gone\n");
    }

    [FactNeeding(Need.Linux)]
    public void A_typed_interrupt_reaches_the_command_once()
    {
        // script(1) creates a terminal with the tool and its command in the foreground group; byte 3 is Ctrl+C.
        File.WriteAllText(
            $"{Folder.Path}/command",
            $"n=0; trap 'n=$((n + 1))' INT; : > {Folder.Path}/ready; until [ $n != 0 ]; do sleep 0.1; done; sleep 0.3; echo $n > {Folder.Path}/interrupts");
        ToolRun run = PicolloTool.RunInShell($$"""
            ( until [ -e {{Folder.Path}}/ready ]; do sleep 0.02; done; printf '\003'; until [ -e {{Folder.Path}}/code ]; do sleep 0.02; done ) |
            ( script -qec "$picollo stat -r 3 -- sh {{Folder.Path}}/command" /dev/null; echo $? > {{Folder.Path}}/code )
            """);

        File.ReadAllText($"{Folder.Path}/interrupts").Should().Be("1\n");
        File.ReadAllText($"{Folder.Path}/code").Should().Be("130\n");
        run.Output.Should().Contain("0 of 3 runs: interrupted");
    }

    [FactNeeding(Need.Linux)]
    public void Warm_ups_and_preparations_are_not_measured()
    {
        ToolRun run = PicolloTool.Run(
            "stat", "--json", "-r", "2", "--warmup", "1", "--prepare", $"echo to error; printf P >> {Folder.Path}/order",
            "--compare", $"printf A >> {Folder.Path}/order", $"printf B >> {Folder.Path}/order");

        File.ReadAllText($"{Folder.Path}/order").Should().Be("PAPBPAPBPAPB");
        Regex.Count(run.Output, "\"kind\":\"run\"").Should().Be(4);
        run.Error.Should().Be(string.Concat(Enumerable.Repeat("to error\n", 6)));
        run.ExitCode.Should().Be(0);
    }

    [FactNeeding(Need.Linux)]
    public void A_failed_preparation_ends_the_tool() =>
        PicolloTool.Run("stat", "--prepare", "exit 9", "--", "echo", "ran")
            .Should().Be(new ToolRun(125, "", "picollo: the command of --prepare exited with code 9\n"));

    [FactNeeding(Need.Linux)]
    public void Each_of_three_commands_is_compared_with_the_first()
    {
        ToolRun run = PicolloTool.Run(
            "stat", "-r", "2", "--export-markdown", $"{Folder.Path}/table.md", "--compare", "sleep 0.02", "sleep 0.1 | cat; :", "echo '`|`'");

        run.ExitCode.Should().Be(0);
        run.Output.Should().Be("`|`\n`|`\n");
        run.Error.Should().Contain("\nA: sleep 0.02\nB: sleep 0.1 | cat; :\nC: echo '`|`'\n2 runs of each command, alternately\n");
        run.Error.Should().MatchRegex("(?m)^ +A mean +± stdev +B mean .*$").And.MatchRegex("(?m)^ +A mean +± stdev +C mean .*$");
        run.Error.Should().EndWith($"\nwrote {Folder.Path}/table.md\n");
        string[] lines = File.ReadAllLines($"{Folder.Path}/table.md");
        lines[0].Should().Be("| Command | Runs | Mean | ± stdev | Min | Max | User | Kernel | Max resident | Relative |");
        lines[2].Should().StartWith("| `sleep 0.02` | 2 | ").And.EndWith(" | 1.00 |");
        lines[3].Should().StartWith("| `sleep 0.1 \\| cat; :` | 2 | ");
        lines[4].Should().StartWith("| `` echo '`\\|`' `` | 2 | ");
        lines.Should().HaveCount(5);
    }

    [FactNeeding(Need.Linux, Need.PerfEvents)]
    public void An_unprivileged_user_gets_a_single_remedy()
    {
        ToolRun run = PicolloTool.RunInShell("$unprivileged stat -e context-switches,page-faults,nosuch/x/ -- true");
        ToolRun verbose = PicolloTool.RunInShell("$unprivileged stat -v -e context-switches,page-faults -- true");

        if (Paranoid is 2)
        {
            string text = run.Error.Replace('\n', ' ');
            text.Should().Contain("not counted: context-switches, kernel code in the other counters: not permitted; run "
                + "'sudo sysctl kernel.perf_event_paranoid=1' (-v shows details)").And.NotContain("CAP_PERFMON");
            Regex.Count(text, "not counted: ").Should().Be(2, "the other one is for nosuch/x/");
            verbose.Error.Replace('\n', ' ').Should().Contain("kernel.perf_event_paranoid (now 2) to 1 or less").And.Contain("CAP_PERFMON");
        }
        else if (Paranoid is < 2)
        {
            run.Error.Should().NotContain("not permitted");
        }

        (run.Error + verbose.Error).Should().NotContainAny("TaskClock", "WithKernel");
    }

    [FactNeeding(Need.Tmux)]
    public void The_remaining_time_is_shown_on_a_terminal()
    {
        // The first run takes longer than the delay of the progress, and the second one waits until the progress was seen.
        using TmuxScreen screen = new(rows: 40);
        screen.Enter("clear; $picollo stat -r 2 -c '[ -e 1 ] || exec sleep 1.5 > 1; until [ -e 2 ]; do sleep 0.05; done'; echo code $?");

        screen.WaitFor(text => Regex.IsMatch(text, "(?m)^run 2/2, [0-9]+:[0-9]{2} left$"), "the progress");
        File.WriteAllText(screen.PathOf("2"), "");
        screen.WaitFor("code 0").Should().NotContain(" left").And.Contain("2 runs");
    }

    private static int? Paranoid =>
        int.TryParse(File.ReadAllText("/proc/sys/kernel/perf_event_paranoid"), CultureInfo.InvariantCulture, out int level) ? level : null;

    private static int ExitCode(params string[] arguments) => PicolloTool.Run(arguments).ExitCode;
}
