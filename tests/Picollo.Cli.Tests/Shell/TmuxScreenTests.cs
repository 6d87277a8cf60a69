namespace Picollo.Cli.Tests.Shell;

/// <summary>Tests of the terminal that other tests use.</summary>
[Trait("Category", "Slow")]
public class TmuxScreenTests
{
    [FactNeeding(Need.Tmux)]
    public void Text_attributes_size_cursor_and_alternate_screen_are_captured()
    {
        using TmuxScreen screen = new(40, 10);
        screen.Run("stty size").Should().Be("10 40\n");
        screen.Resize(60, 12);
        screen.Run("stty size; echo ä").Should().Be("12 60\nä\n");
        (screen.IsCursorVisible, screen.IsAlternateScreen).Should().Be((true, false));

        screen.Enter(@"printf '\033[?1049h\033[?25l\033[H\033[1mbo\033[mld'");

        screen.WaitFor("bold");
        screen.StyledScreen.Should().Contain("\e[1mbo\e[0m");
        (screen.IsCursorVisible, screen.IsAlternateScreen).Should().Be((false, true));
    }

    [FactNeeding(Need.Tmux)]
    public void The_tool_runs_in_the_terminal()
    {
        using TmuxScreen screen = new(rows: 40, environment: ("TERM", "dumb"));

        screen.Enter("echo $TERM; $picollo --help; echo code $?");

        screen.WaitFor("code 0").Should().Contain("\ndumb\n").And.Contain("Usage:");
    }
}
