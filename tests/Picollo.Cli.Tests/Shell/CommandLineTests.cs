namespace Picollo.Cli.Tests.Shell;

[Trait("Category", "Slow")]
public class CommandLineTests
{
    [Fact]
    public void Help_is_a_result_and_fits_80_columns()
    {
        ToolRun run = PicolloTool.Run("--help");

        run.ExitCode.Should().Be(0);
        run.Error.Should().BeEmpty();
        run.Output.Should().Contain("picollo [");
        run.Output.Split('\n').Should().OnlyContain(line => line.Length <= 80);
    }

    [Fact]
    public void Invalid_arguments_are_reported_without_control_characters()
    {
        ToolRun run = PicolloTool.Run("\e]0;x\a[/]");

        run.ExitCode.Should().Be(2);
        run.Output.Should().BeEmpty();
        run.Error.Should().Be("picollo: Unrecognized command or argument '?]0;x?[/]'.\nTry 'picollo --help'.\n");
    }

    [FactNeeding(Need.Linux)]
    public void A_full_disk_is_reported()
    {
        ToolRun run = PicolloTool.RunInShell("$picollo --help > /dev/full");

        (run.ExitCode, run.Error).Should().Be((1, "picollo: standard output: No space left on device\n"));
    }

    [FactNeeding(Need.Linux)]
    public void A_closed_pipe_ends_the_tool_silently()
    {
        ToolRun run = PicolloTool.RunInShell("exec 3> >(true); wait $!; $picollo --help >&3; echo $? >&2");

        run.Error.Should().Be("141\n");
    }
}
