namespace Picollo.Cli.Tests.Shell;

/// <summary>Tests with closed standard input, output or error. The runtime may use their numbers for its own files.</summary>
[Trait("Category", "Slow")]
public class ClosedDescriptorTests
{
    [FactNeeding(Need.Linux)]
    public void Closed_standard_input_is_reported_immediately() =>
        PicolloTool.RunInShell("$picollo hist <&-").Should().Be(new ToolRun(1, "", "picollo: standard input: Bad file descriptor\n"));

    [FactNeeding(Need.Linux)]
    public void A_closed_pipe_or_output_and_a_full_disk_end_the_tool()
    {
        foreach ((string command, int exitCode) in ((string, int)[])
        [
            ("$picollo --help", 1), ("$picollo hist < <(seq 9)", 1), ("$picollo stat --json -- true <&-", 125), ("$picollo top -b", 1),
        ])
        {
            PicolloTool.RunInShell($"exec 3> >(true); wait $!; {command} >&3; echo $? >&2").Error.Should().Be("141\n", command);
            PicolloTool.RunInShell($"{command} > /dev/full")
                .Should().Be(new ToolRun(exitCode, "", "picollo: standard output: No space left on device\n"), command);
            PicolloTool.RunInShell($"seq 9 > /dev/null; {command} >&-")
                .Should().Be(new ToolRun(exitCode, "", "picollo: standard output: Bad file descriptor\n"), command);
        }

        PicolloTool.RunInShell("$picollo --help").Output.Should().Contain("\n  picollo [");
        ToolRun full = PicolloTool.RunInShell("$picollo stat -o /dev/full -- true");
        (full.ExitCode, full.Error.Contains("No space left on device", StringComparison.Ordinal)).Should().Be((125, true));
    }

    [FactNeeding(Need.Linux)]
    public void A_message_that_cannot_be_written_does_not_change_the_exit_code()
    {
        using TemporaryFolder folder = new();
        File.WriteAllText(folder.PathOf("numbers"), "1\n2\nx\n");
        foreach (string error in (string[])["&-", "/dev/full", "> >(true)"])
        {
            foreach ((string command, int exitCode) in ((string, int)[])
            [
                ("stat -o report --save base.json --export-markdown table.md -- true", 0),
                ("stat -o report --save base.json -- sh -c 'exit 7'", 7),
                ("hist /nowhere", 1),
                ("nonsense", 2),
                ("hist --on-error skip --svg plot.svg numbers > /dev/null", 0),
                ("jitter -a 0 -l 5 -p 99 --force -o results > /dev/null", 0),
            ])
            {
                ToolRun run = PicolloTool.RunInShell($"cd {folder.Path}; ulimit -r 0; $picollo {command} 2>{error}");
                run.ExitCode.Should().Be(exitCode, $"{command} 2>{error}");
            }
        }

        File.Exists(folder.PathOf("results/results.json")).Should().BeTrue();
        PicolloTool.RunInShell("$picollo stat -- true 2>&-").ExitCode.Should().Be(125, "there is no report");
    }

    [FactNeeding(Need.Linux)]
    public void The_command_inherits_closed_descriptors() =>
        PicolloTool.RunInShell("$picollo stat -- ls /proc/self/fd/0 <&- 2>&1 | head -1").Output.Should().Contain("/proc/self/fd/0'"); // from the error message of ls
}
