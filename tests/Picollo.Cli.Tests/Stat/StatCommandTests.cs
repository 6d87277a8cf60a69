using System.Globalization;
using System.Text.Json;
using System.Text.RegularExpressions;
using Picollo.Cli.Tests.Shell;

namespace Picollo.Cli.Tests.Stat;

/// <summary>End-to-end tests of <c>picollo stat</c>.</summary>
public sealed partial class StatCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-stat").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Control_characters_in_process_names_are_replaced()
    {
        // The process waits after a fixed number of steps, so that it is seen even if the tool itself has to wait for a processor.
        const string Named =
            @"printf '\033]0;x[/]' > /proc/self/comm; (i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; sleep 2; :)";

        string table = PicolloTool.Run("stat", "--per-thread", "-c", Named).Error;
        string json = PicolloTool.Run("stat", "--per-thread", "--json", "-c", Named).Output;

        table.Should().Contain("?]0;x[/]").And.NotContain("\e");
        json.Should().Contain("]0;x[/]").And.NotContain("\e");
    }

    [Theory]
    [InlineData("gzip", "-c", "x")]
    [InlineData("ls", "-r")]
    public void Options_without_dashes_are_rejected(params string[] command)
    {
        ToolRun run = PicolloTool.RunHere(["stat", .. command]);

        run.ExitCode.Should().Be(2);
        run.Error.Should().Contain("\nA command with options must follow --: picollo stat -- CMD ARGS\n");
    }

    [Theory]
    [InlineData("-r must be a number of runs from 1 to 1000000.", "-r", "x", "ls", "-l")]
    [InlineData("-r must be a number of runs from 1 to 1000000.", "-r", "x", "ls", "-e", "cycles")]
    [InlineData("Specify one command, after -- or with -c, or two or more commands with --compare.")]
    [InlineData("Specify one command, after -- or with -c, or two or more commands with --compare.", "-r", "2")]
    [InlineData("Specify one command, after -- or with -c, or two or more commands with --compare.", "-c", "ls", "ls")]
    [InlineData("Unrecognized option '--nosuch'.", "--nosuch", "ls", "-r", "2")]
    [InlineData("Unrecognized option '--nosuch'.", "--nosuch", "--", "ls")]
    [InlineData("--fail-above requires --baseline.", "--fail-above", "5%", "--", "ls", "-r")]
    public void Other_usage_errors_do_not_mention_dashes(string message, params string[] arguments) =>
        PicolloTool.RunHere(["stat", .. arguments]).Should().Be(new ToolRun(2, "", $"picollo: {message}\nTry 'picollo stat --help'.\n"));

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
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
        Mebibytes(run.Error).Should().BeLessThan(20);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_signal_to_both_the_group_and_the_process_counts_once_and_excludes_the_incomplete_run()
    {
        // As timeout(1) does, after one run has ended and the next one has started.
        ToolRun run = PicolloTool.RunInShell($$"""
            set -m; : > {{_folder}}/runs
            $picollo stat -r 1000 -- sh -c 'echo >> {{_folder}}/runs; exec sleep 0.3' &
            until [ $(wc -l < {{_folder}}/runs) -ge 2 ]; do sleep 0.02; done
            kill -INT -- -$!; for i in 1 2 3 4 5; do kill -INT $!; done; wait $!
            """);

        run.ExitCode.Should().Be(130);
        run.Error.Should().Contain("of 1000 runs: interrupted; the incomplete run is excluded").And.Contain("\nelapsed ").And.NotContain("failed");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_end_of_the_command_is_detected_if_SIGCHLD_is_ignored() =>
        PicolloTool.RunInShell("env --ignore-signal=CHLD $picollo stat -- sh -c 'exit 7'").ExitCode.Should().Be(7);

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Unavailable_counters_are_reported_once()
    {
        ToolRun run = PicolloTool.Run("stat", "-e", "task-clock,nosuch/a/,nosuch/b/", "-r", "3", "--", "true");

        run.ExitCode.Should().Be(0);
        Regex.Count(run.Error, "(?m)^not counted: nosuch/a/, nosuch/b/: this machine has no PMU").Should().Be(1);
    }

    [FactNeeding(Need.Linux, Need.KernelCounters)]
    [Trait("Category", "Slow")]
    public void Modifiers_count_user_and_kernel_code_separately()
    {
        string line = PicolloTool.Run("stat", "--json", "-e", "page-faults,page-faults:u,page-faults:k", "--", "ls").Output.Split('\n')[0];

        ulong[] counts = [.. JsonDocument.Parse(line).RootElement.GetProperty("counters").EnumerateArray().Select(counter => counter.GetProperty("value").GetUInt64())];
        counts.Should().HaveCount(3).And.OnlyContain(count => count > 0);
        counts[0].Should().Be(counts[1] + counts[2]);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Resident_memory_is_measured()
    {
        ToolRun run = PicolloTool.Run("stat", "--", "dd", "if=/dev/zero", "of=/dev/null", "bs=200M", "count=1", "status=none");

        Mebibytes(run.Error).Should().BeInRange(200, 230);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_command_reads_standard_input() => PicolloTool.RunWithInput("line\n", "stat", "--", "cat").Output.Should().Be("line\n");

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    [Trait("Category", "Slow")]
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
    [Trait("Category", "Slow")]
    public void Exit_codes_are_passed_on()
    {
        ExitCode("stat", "--", "sh", "-c", "exit 7").Should().Be(7);
        ExitCode("stat", "-c", "exit 8").Should().Be(8);
        ExitCode("stat", "--", "sh", "-c", "kill -9 $$").Should().Be(137);
        ExitCode("stat", "--", "picollo-no-such-program").Should().Be(127);
        ExitCode("stat", "--", "/etc/passwd/none").Should().Be(127);
        ExitCode("stat", "--", "/etc/passwd").Should().Be(126);
        ExitCode("stat", "-o", "/nonexistent/file", "--", "true").Should().Be(125);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Inaccessible_folders_in_PATH_are_skipped()
    {
        ToolRun run = PicolloTool.RunInShell($"""
            chmod 755 {_folder}; mkdir -m 0 {_folder}/closed; mkdir -m 755 {_folder}/open; touch {_folder}/open/locked
            PATH={_folder}/open:{_folder}/closed:$PATH
            $unprivileged stat -- picollo-no-such-program; echo $?
            $unprivileged stat -- locked; echo $?
            $unprivileged stat -- true 2> /dev/null; echo $?
            rmdir {_folder}/closed
            """);

        run.Output.Should().Be("127\n126\n0\n");
        run.Error.Should().Be("picollo: picollo-no-such-program: No such file or directory\npicollo: locked: Permission denied\n");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_command_that_cannot_be_executed_is_reported_in_one_line()
    {
        PicolloTool.Run("stat", "--", "no-such\e[1mprogram").Error.Should().Be("picollo: no-such?[1mprogram: No such file or directory\n");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_first_failed_run_determines_the_exit_code()
    {
        ToolRun run = PicolloTool.Run("stat", "-r", "4", "-c", $"echo >> {_folder}/runs; n=$(wc -l < {_folder}/runs); [ $n = 1 ] || exit $((n + 10))");

        run.ExitCode.Should().Be(12);
        run.Error.Should().Contain("\n4 runs\n").And.Contain("3 of 4 runs failed; the first exited with code 12");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Repeated_runs_have_percentiles()
    {
        ToolRun run = PicolloTool.Run("stat", "-r", "5", "--", "sleep", "0.02");

        run.Error.Should().Contain("\n5 runs\n").And.MatchRegex("(?m)^ +mean +± stdev +p50 +p90 +p99 +max$");
        run.Error.Should().MatchRegex("(?m)^elapsed +[0-9.]+ m?s +±[0-9.]+ % +[0-9.]+ m?s +- +- +[0-9.]+ m?s$", "with five runs, no run is above p90 and p99");
        run.Error.Split('\n').Should().OnlyContain(line => line.Length <= 80);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Two_commands_run_alternately_and_are_compared()
    {
        ToolRun run = PicolloTool.Run("stat", "-r", "3", "--compare", $"printf A >> {_folder}/order; sleep 0.05", $"printf B >> {_folder}/order; sleep 0.2");

        run.ExitCode.Should().Be(0);
        File.ReadAllText($"{_folder}/order").Should().Be("ABABAB");
        run.Error.Should().Contain("\n3 runs of each command, alternately\n").And.MatchRegex(@"(?m)^elapsed +[0-9.]+ m?s +±[0-9.]+ % +[0-9.]+ m?s +±[0-9.]+ % +[+-][0-9,.]+ % +[+-][0-9.]+$");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Threads_and_the_CPU_time_of_missed_threads_are_shown()
    {
        ToolRun run = PicolloTool.Run("stat", "--per-thread", "-c", "sleep 2");

        run.Error.Should().MatchRegex("(?m)^process +thread +name +CPU time +share$").And.MatchRegex("(?m)^ +[0-9]+ +[0-9]+ +(sh|sleep) +").And.MatchRegex("(?m)^ +not seen +");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_report_can_be_written_to_a_file()
    {
        ToolRun run = PicolloTool.Run("stat", "--json", "-o", $"{_folder}/report", "--", "echo", "said");

        (run.Output, run.Error).Should().Be(("said\n", $"wrote {_folder}/report\n"));
        File.ReadAllText($"{_folder}/report").Should().StartWith("{\"kind\":\"run\"");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_full_disk_is_a_failure_of_the_tool()
    {
        foreach (string command in (string[])["$picollo stat --json -- true > /dev/full", "$picollo stat -o /dev/full -- true"])
        {
            ToolRun run = PicolloTool.RunInShell(command);

            run.ExitCode.Should().Be(125, command);
            run.Error.Should().Contain("No space left on device", command);
        }
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_closed_pipe_ends_the_tool() =>
        PicolloTool.RunInShell("exec 3> >(true); wait $!; $picollo stat --json -- true >&3; echo $? >&2").Error.Should().Be("141\n");

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_command_with_a_closed_pipe_is_ended_by_SIGPIPE() =>
        PicolloTool.RunInShell("( $picollo stat -o /dev/null -- yes; echo $? >&2 ) | head -1").Error.Should().Be("141\n");

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Orphaned_processes_are_not_waited_for()
    {
        ToolRun run = PicolloTool.RunInShell($"$picollo stat -- sh -c 'sleep 68 & echo $! > {_folder}/id' > {_folder}/out 2> {_folder}/err; echo $?; kill $(cat {_folder}/id) && echo left");

        run.Output.Should().Be("0\nleft\n");
        File.ReadAllText($"{_folder}/err").Should().Contain("elapsed");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void An_interrupt_that_was_not_typed_is_forwarded_and_the_summary_is_printed()
    {
        // Without job control (set -m), background commands of a shell ignore SIGINT.
        ToolRun run = PicolloTool.RunInShell($$"""
            set -m
            $picollo stat -- sh -c 'trap "echo got; kill \$!; exit 4" INT; sleep 69 & : > {{_folder}}/ready; wait' &
            until [ -e {{_folder}}/ready ]; do sleep 0.02; done
            kill -INT $!
            wait $!
            echo $?
            """);

        run.Output.Should().Be("got\n130\n");
        run.Error.Should().MatchRegex("(?m)^elapsed +").And.Contain("the command exited with code 4");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_shell_command_receives_each_signal_and_further_runs_are_skipped()
    {
        ToolRun run = PicolloTool.RunInShell($$"""
            $picollo stat -r 9 -c 'echo >> {{_folder}}/runs; if [ $(wc -l < {{_folder}}/runs) = 3 ]; then : > {{_folder}}/ready; sleep 70; fi' &
            until [ -e {{_folder}}/ready ]; do sleep 0.02; done
            kill -TERM $!
            wait $!
            echo $?
            """);

        run.Output.Should().Be("143\n");
        run.Error.Should().Contain("2 of 9 runs: interrupted; the incomplete run is excluded").And.MatchRegex("(?m)^elapsed +");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_stopped_command_can_be_ended()
    {
        ToolRun run = PicolloTool.RunInShell($$"""
            $picollo stat -c 'echo $$ > {{_folder}}/id; kill -STOP $$' &
            until grep -qs ') T ' /proc/$(cat {{_folder}}/id 2> /dev/null)/stat; do sleep 0.02; done
            kill -TERM $!
            wait $!
            echo $?
            """);

        run.Output.Should().Be("143\n");
        run.Error.Should().Contain("the command was terminated by signal 15");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void An_unwritable_report_file_is_reported_before_the_command_runs()
    {
        foreach ((string path, string reason) in ((string, string)[])[("", "No such file or directory"), ("/tmp", "Permission denied"), ("/nowhere/x", "No such file or directory")])
        {
            PicolloTool.Run("stat", "-o", path, "--", "echo", "ran").Should().Be(new ToolRun(125, "", $"picollo: {path}: {reason}\n"));
        }
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void The_command_is_killed_if_the_tool_is_killed()
    {
        ToolRun run = PicolloTool.RunInShell($$"""
            $picollo stat -c 'sleep 71 & echo $! > {{_folder}}/id; : > {{_folder}}/ready; wait' &
            until [ -e {{_folder}}/ready ]; do sleep 0.02; done
            kill -KILL $!
            for i in $(seq 500); do kill -0 $(cat {{_folder}}/id) 2> /dev/null && ! grep -q ') Z ' /proc/$(cat {{_folder}}/id)/stat || { echo gone; break; }; sleep 0.02; done
            """);

        run.Output.Should().Be("gone\n");
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_typed_interrupt_reaches_the_command_once()
    {
        // script(1) creates a terminal with the tool and its command in the foreground group; byte 3 is Ctrl+C.
        File.WriteAllText($"{_folder}/command", $"n=0; trap 'n=$((n + 1))' INT; : > {_folder}/ready; sleep 0.5; sleep 0.5; echo $n > {_folder}/interrupts");
        ToolRun run = PicolloTool.RunInShell($$"""
            ( until [ -e {{_folder}}/ready ]; do sleep 0.02; done; printf '\003'; until [ -e {{_folder}}/code ]; do sleep 0.02; done ) |
            ( script -qec "$picollo stat -r 3 -- sh {{_folder}}/command" /dev/null; echo $? > {{_folder}}/code )
            """);

        File.ReadAllText($"{_folder}/interrupts").Should().Be("1\n");
        File.ReadAllText($"{_folder}/code").Should().Be("130\n");
        run.Output.Should().Contain("0 of 3 runs: interrupted");
    }

    [Theory]
    [InlineData("-e", "instrutions", "--", "true", "picollo: There is no event \"instrutions\". Similar names: instructions, ")]
    [InlineData("-e", "page-fauls:u", "--", "true", "picollo: There is no event \"page-fauls\". Similar names: page-faults, ")]
    [InlineData("-r", "0", "--", "true", "picollo: -r must be a number of runs from 1 to 1000000.")]
    [InlineData("-r", "x", "--", "true", "picollo: -r must be a number of runs from 1 to 1000000.")]
    [InlineData("-c", "true", "--", "true", "picollo: Specify one command, after -- or with -c, or two or more commands with --compare.")]
    [InlineData("-c", " ", "--json", "--json", "picollo: The command is empty.")]
    [InlineData("--compare", "true", "--json", "--json", "picollo: Required argument missing for option: '--compare'.")]
    [InlineData("--per-thread", "-r2", "--", "true", "picollo: --per-thread requires a single run of a single command.")]
    [InlineData("-I100", "-r2", "--", "true", "picollo: -I requires a single run of a single command.")]
    [InlineData("-I", "0", "--", "true", "picollo: -I must be a number of milliseconds, not '0'.")]
    [InlineData("-p", "0", "--json", "--json", "picollo: -p must be a process ID, not '0'.")]
    [InlineData("-p", "1", "-r", "2", "picollo: -p cannot be combined with several runs or commands.")]
    [InlineData("-p", "1", "--warmup", "2", "picollo: -p cannot be combined with --per-thread, --warmup or --prepare.")]
    [InlineData("--save", "x", "-p", "1", "picollo: --save and --baseline require a single command.")]
    [InlineData("--fail-above", "5%", "--", "true", "picollo: --fail-above requires --baseline.")]
    [InlineData("--fail-above=5%", "--baseline=x", "--", "true", "picollo: --fail-above requires several runs (-r) to estimate the variance.")]
    [InlineData("--fail-above=-5%", "--baseline=x", "-r2", "true", "picollo: --fail-above must be a percentage such as 5%, not '-5%'.")]
    [InlineData("--warmup", "-1", "--", "true", "picollo: --warmup must be a number of runs from 0 to 1000000.")]
    [InlineData("--prepare", " ", "--", "true", "picollo: The command of --prepare is empty.")]
    public void Invalid_arguments_are_usage_errors(string a, string b, string c, string d, string message)
    {
        ToolRun run = PicolloTool.RunHere("stat", a, b, c, d);

        (run.ExitCode, run.Output).Should().Be((2, ""));
        run.Error.Should().StartWith(message).And.EndWith("\nTry 'picollo stat --help'.\n");
    }

    [Fact]
    public void Help_has_examples_and_exit_codes_and_fits_80_columns()
    {
        ToolRun run = PicolloTool.RunHere("stat", "--help");

        run.ExitCode.Should().Be(0);
        run.Error.Should().BeEmpty();
        run.Output.Should().Contain("Examples:").And.Contain("Exit codes:").And.Contain("--compare <A> <B>");
        run.Output.Split('\n').Should().OnlyContain(line => line.Length <= 80);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Warm_ups_and_preparations_are_not_measured()
    {
        ToolRun run = PicolloTool.Run(
            "stat", "--json", "-r", "2", "--warmup", "1", "--prepare", $"echo to error; printf P >> {_folder}/order",
            "--compare", $"printf A >> {_folder}/order", $"printf B >> {_folder}/order");

        File.ReadAllText($"{_folder}/order").Should().Be("PAPBPAPBPAPB");
        Regex.Count(run.Output, "\"kind\":\"run\"").Should().Be(4);
        run.Error.Should().Be(string.Concat(Enumerable.Repeat("to error\n", 6)));
        run.ExitCode.Should().Be(0);
    }

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void A_failed_preparation_ends_the_tool() =>
        PicolloTool.Run("stat", "--prepare", "exit 9", "--", "echo", "ran")
            .Should().Be(new ToolRun(125, "", "picollo: the command of --prepare exited with code 9\n"));

    [FactNeeding(Need.Linux)]
    [Trait("Category", "Slow")]
    public void Each_of_three_commands_is_compared_with_the_first()
    {
        ToolRun run = PicolloTool.Run(
            "stat", "-r", "2", "--export-markdown", $"{_folder}/table.md", "--compare", "sleep 0.02", "sleep 0.1 | cat; :", "echo '`|`'");

        run.ExitCode.Should().Be(0);
        run.Output.Should().Be("`|`\n`|`\n");
        run.Error.Should().Contain("\nA: sleep 0.02\nB: sleep 0.1 | cat; :\nC: echo '`|`'\n2 runs of each command, alternately\n");
        run.Error.Should().MatchRegex("(?m)^ +A mean +± stdev +B mean .*$").And.MatchRegex("(?m)^ +A mean +± stdev +C mean .*$");
        run.Error.Should().EndWith($"\nwrote {_folder}/table.md\n");
        string[] lines = File.ReadAllLines($"{_folder}/table.md");
        lines[0].Should().Be("| Command | Runs | Mean | ± stdev | Min | Max | User | Kernel | Max resident | Relative |");
        lines[2].Should().StartWith("| `sleep 0.02` | 2 | ").And.EndWith(" | 1.00 |");
        lines[3].Should().StartWith("| `sleep 0.1 \\| cat; :` | 2 | ");
        lines[4].Should().StartWith("| `` echo '`\\|`' `` | 2 | ");
        lines.Should().HaveCount(5);
    }

    [FactNeeding(Need.Linux, Need.PerfEvents)]
    [Trait("Category", "Slow")]
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
    [Trait("Category", "Slow")]
    public void The_remaining_time_is_shown_on_a_terminal()
    {
        using TmuxScreen screen = new(rows: 40);
        screen.Enter("clear; $picollo stat -r 4 -- sleep 0.6; echo code $?");

        screen.WaitFor(text => Regex.IsMatch(text, "(?m)^run [234]/4, 0:0[0-9] left$"), "the progress");
        screen.WaitFor("code 0").Should().NotContain(" left").And.Contain("4 runs");
    }

    private static int? Paranoid =>
        int.TryParse(File.ReadAllText("/proc/sys/kernel/perf_event_paranoid"), CultureInfo.InvariantCulture, out int level) ? level : null;

    private static int ExitCode(params string[] arguments) => PicolloTool.Run(arguments).ExitCode;

    private static double Mebibytes(string report)
    {
        Match match = MaxResident().Match(report);
        double value = double.Parse(match.Groups[1].Value, CultureInfo.InvariantCulture);
        return match.Groups[2].Value switch { "KiB" => value / 1024, "MiB" => value, _ => throw new FormatException(report) };
    }

    [GeneratedRegex("(?m)^max resident +([0-9.]+) (KiB|MiB)$")]
    private static partial Regex MaxResident();
}
