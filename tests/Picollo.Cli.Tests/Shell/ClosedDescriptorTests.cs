namespace Picollo.Cli.Tests.Shell;

/// <summary>Tests with closed standard input, output or error. The runtime may use their numbers for its own files.</summary>
[Trait("Category", "Slow")]
public class ClosedDescriptorTests
{
    [FactNeeding(Need.Linux)]
    public void Closed_standard_input_is_reported_immediately() =>
        PicolloTool.RunInShell("$picollo hist <&-").Should().Be(new ToolRun(1, "", "picollo: standard input: Bad file descriptor\n"));

    [FactNeeding(Need.Linux)]
    public void Closed_standard_output_is_reported()
    {
        PicolloTool.RunInShell("seq 9 > /dev/null; $picollo --help >&-").Should().Be(new ToolRun(1, "", "picollo: standard output: Bad file descriptor\n"));
        PicolloTool.RunInShell("$picollo stat --json -- true <&- >&-").Should().Be(new ToolRun(125, "", "picollo: standard output: Bad file descriptor\n"));
    }

    [FactNeeding(Need.Linux)]
    public void The_exit_code_does_not_depend_on_standard_error()
    {
        foreach (string error in (string[])["&-", "/dev/full", "&1 | true; exit ${PIPESTATUS[0]}"])
        {
            PicolloTool.RunInShell($"$picollo hist /nowhere 2>{error}").ExitCode.Should().Be(1, error);
            PicolloTool.RunInShell($"$picollo nonsense 2>{error}").ExitCode.Should().Be(2, error);
        }

        PicolloTool.RunInShell("$picollo stat -- true 2>&-").ExitCode.Should().Be(125, "there is no report");
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
                ("hist --on-error skip --svg plot.svg numbers > /dev/null", 0),
                ("jitter -a 0 -l 5 -p 99 --force -o results > /dev/null", 0),
            ])
            {
                ToolRun run = PicolloTool.RunInShell($"cd {folder.Path}; ulimit -r 0; $picollo {command} 2>{error}");
                run.ExitCode.Should().Be(exitCode, $"{command} 2>{error}");
            }
        }

        File.Exists(folder.PathOf("results/results.json")).Should().BeTrue();
    }

    [FactNeeding(Need.Linux)]
    public void The_command_inherits_closed_descriptors() =>
        PicolloTool.RunInShell("$picollo stat -- ls /proc/self/fd/0 <&- 2>&1 | head -1").Output.Should().Contain("/proc/self/fd/0'"); // from the error message of ls
}
