using System.Diagnostics;
using System.Globalization;
using Picollo.Cli.Tests.Top;

namespace Picollo.Cli.Tests.Shell;

/// <summary>The state of the terminal during and after a full-screen session, tested with <c>picollo top</c>.</summary>
[Trait("Category", "Slow")]
public class LiveScreenTests
{
    private const string Before = "what was there before";

    [TheoryNeeding(Need.Tmux)]
    [InlineData("q", null, 0)]
    [InlineData("C-c", null, 130)]
    [InlineData(null, "TERM", 143)]
    [InlineData("C-\\", null, 131)]
    public void The_terminal_is_restored_at_the_end(string? key, string? signal, int code)
    {
        using TmuxScreen screen = new();
        string before = screen.Run("stty -a");
        screen.Enter($"clear; ulimit -c 0; echo {Before}");
        screen.Enter("sh -c 'echo $$ > own; exec $picollo top'; echo code $?");
        screen.WaitFor("PID USER").Should().NotContain(Before);
        (screen.IsAlternateScreen, screen.IsCursorVisible).Should().Be((true, false));

        if (key is not null)
        {
            screen.Press(key);
        }
        else
        {
            PicolloTool.RunInShell($"kill -{signal} {OwnId(screen)}").ExitCode.Should().Be(0);
        }

        screen.WaitFor($"code {code}").Should().Contain(Before).And.NotContain("PID USER");
        (screen.IsAlternateScreen, screen.IsCursorVisible).Should().Be((false, true));
        screen.Run("stty -a").Should().Be(before);
    }

    [TheoryNeeding(Need.Tmux)]
    [InlineData("sh -c 'echo $$ > own; exec $picollo top'")]
    [InlineData("sh -c '$picollo top; echo done'")] // in the same group as its parent
    public void The_terminal_is_restored_while_the_tool_is_stopped(string command)
    {
        using TmuxScreen screen = new();
        string before = screen.Run("stty -a");
        screen.Enter(command);
        screen.WaitFor("PID USER");
        for (int i = 0; i < 2; i++)
        {
            screen.Press("C-z");
            screen.WaitFor(_ => !screen.IsAlternateScreen && screen.IsCursorVisible, "the shell");
            screen.Screen.Should().NotContain("PID USER");
            screen.Run("stty -a").Should().Be(before);
            screen.Run("jobs").Should().Contain("Stopped");
            screen.Enter("fg");
            screen.WaitFor("PID USER");
            (screen.IsAlternateScreen, screen.IsCursorVisible).Should().Be((true, false));
        }

        if (File.Exists(screen.PathOf("own"))) // SIGSTOP cannot be handled
        {
            PicolloTool.RunInShell($"kill -STOP {OwnId(screen)}");
            screen.WaitFor("Stopped");
            screen.Enter("fg");
            screen.WaitFor("PID USER");
        }

        screen.Press("h");
        screen.WaitFor("Press any key to return.");
        screen.Press("x", "q");
        screen.WaitFor(_ => !screen.IsAlternateScreen, "the shell");
        screen.Run("stty -a").Should().Be(before);
    }

    [FactNeeding(Need.Tmux)]
    public void Ctrl_Z_is_ignored_without_job_control()
    {
        using TmuxScreen screen = new();
        screen.Enter("exec sh -c '$picollo top; :'"); // because tmux continues its direct child
        screen.WaitFor("PID USER");

        screen.Press("C-z", "h");

        screen.WaitFor("Press any key to return.");
    }

    [FactNeeding(Need.Tmux)]
    public void Keys_after_the_one_that_ends_the_tool_are_left_for_the_shell()
    {
        using TmuxScreen screen = new();
        screen.Enter("$picollo top");
        screen.WaitFor("PID USER");

        screen.Type("qecho is $((6 * 7))\r");

        screen.WaitFor("is 42");
    }

    [FactNeeding(Need.Tmux)]
    public void Closing_the_terminal_ends_the_tool()
    {
        Process process;
        using (TmuxScreen screen = new())
        {
            screen.Enter("sh -c 'echo $$ > own; exec $picollo top'");
            screen.WaitFor("PID USER");
            process = Process.GetProcessById(OwnId(screen));
        }

        using (process)
        {
            process.WaitForExit(TimeSpan.FromSeconds(20)).Should().BeTrue();
        }
    }

    [FactNeeding(Need.Tmux)]
    public void A_larger_terminal_shows_more_rows()
    {
        // The header has up to eight lines, including one for a cgroup limit and one for autogroups.
        using TopInTerminal top = new(columns: 30, rows: 10);
        top.Screen.Screen.Should().NotContain("COMMAND");

        top.Screen.Resize(100, 40);

        top.Screen.WaitFor(screen => screen.Contains("COMMAND", StringComparison.Ordinal) && top.List.Length > 20, "all columns and more rows");
    }

    [FactNeeding(Need.Tmux)]
    public void NO_COLOR_disables_attributes()
    {
        using TopInTerminal top = new(environment: ("NO_COLOR", "1"));

        top.Screen.StyledScreen.Should().NotContain("\e");
        top.Screen.Press("F");
        top.Screen.WaitFor("Unknown key; press h for help.");
        top.Screen.StyledScreen.Should().NotContain("\e");
    }

    [TheoryNeeding(Need.Tmux)]
    [InlineData("< /dev/null")]
    [InlineData("<&-")]
    public void Keys_are_read_from_the_terminal_if_standard_input_is_redirected(string redirection)
    {
        using TmuxScreen screen = new();
        screen.Enter($"$picollo top {redirection}; echo code $?");
        screen.WaitFor("PID USER");

        screen.Press("h");
        screen.WaitFor("Press any key to return.");
        screen.Press("x", "q");
        screen.WaitFor("code 0");
    }

    [FactNeeding(Need.Tmux)]
    public void Child_processes_inherit_no_descriptor_of_the_keyboard()
    {
        using TopInTerminal top = new("< /dev/null");

        Descriptor[] own = [.. Descriptor.Of(top.OwnId).Where(each => each.Number > 2)];

        own.Should().Contain(each => each.Target == "/dev/tty", "standard input is not a terminal in this test");
        own.Where(each => each.IsInherited && (each.Target == "/dev/tty" || each.Target.StartsWith("pipe:", StringComparison.Ordinal)))
            .Should().BeEmpty();
    }

    [TheoryNeeding(Need.Tmux)]
    [InlineData("$picollo top -d 0.1 | head -3", "screen-256color")]
    [InlineData("$picollo top -n 1 < /dev/null > file; head -3 file", "screen-256color")]
    [InlineData("$picollo top -n 1 -p $$", "dumb")]
    [InlineData("setsid -w $picollo top -n 1 -p 1 < /dev/null", "screen-256color")] // in a session without a terminal, so without keys
    public void Without_a_suitable_terminal_the_page_is_plain_text(string command, string term)
    {
        using TmuxScreen screen = new(environment: ("TERM", term));

        screen.Enter($"{command}; echo code $?");

        screen.WaitFor("code 0").Should().Contain("\nTasks: ").And.NotContain("No such");
        screen.IsAlternateScreen.Should().BeFalse();
        screen.StyledScreen.Should().NotContain("\e");
    }

    private static int OwnId(TmuxScreen screen) => int.Parse(File.ReadAllText(screen.PathOf("own")), CultureInfo.InvariantCulture);
}
