namespace Picollo.Cli.Tests.Shell;

/// <summary>Standard input, output and error that are closed: the runtime then has something of its own under their numbers.</summary>
[Trait("Category", "Slow")]
public class ClosedDescriptorTests
{
    [FactNeeding(Need.Linux)]
    public void Closed_input_is_told_and_not_waited_for() =>
        PicolloTool.RunInShell("$picollo hist <&-").Should().Be(new ToolRun(1, "", "picollo: standard input: Bad file descriptor\n"));

    [FactNeeding(Need.Linux)]
    public void Closed_output_is_told_though_something_of_the_runtimes_could_be_written_to()
    {
        PicolloTool.RunInShell("seq 9 > /dev/null; $picollo --help >&-").Should().Be(new ToolRun(1, "", "picollo: standard output: Bad file descriptor\n"));
        PicolloTool.RunInShell("$picollo stat --json -- true <&- >&-").Should().Be(new ToolRun(125, "", "picollo: standard output: Bad file descriptor\n"));
    }

    [FactNeeding(Need.Linux)]
    public void Where_errors_cannot_be_told_the_exit_code_is_the_same()
    {
        foreach (string error in (string[])["&-", "/dev/full", "&1 | true; exit ${PIPESTATUS[0]}"])
        {
            PicolloTool.RunInShell($"$picollo hist /nowhere 2>{error}").ExitCode.Should().Be(1, error);
            PicolloTool.RunInShell($"$picollo nonsense 2>{error}").ExitCode.Should().Be(2, error);
        }

        PicolloTool.RunInShell("$picollo stat -- true 2>&-").ExitCode.Should().Be(125, "there is no report");
    }

    [FactNeeding(Need.Linux)]
    public void The_command_has_closed_what_the_tool_has_closed() =>
        PicolloTool.RunInShell("$picollo stat -- ls /proc/self/fd/0 <&- 2>&1 | head -1").Output.Should().Contain("/proc/self/fd/0'"); // ls cannot access it
}
