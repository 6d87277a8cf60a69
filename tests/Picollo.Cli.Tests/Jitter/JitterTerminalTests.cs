using System.Text.RegularExpressions;
using Picollo.Cli.Tests.Shell;

namespace Picollo.Cli.Tests.Jitter;

/// <summary>The live lines in a real terminal.</summary>
[Trait("Category", "Slow")]
public class JitterTerminalTests
{
    [FactNeeding(Need.Tmux)]
    public void The_summary_starts_below_the_typed_text()
    {
        using TmuxScreen screen = new(rows: 40);
        screen.Enter("clear; $picollo jitter -a 0 -D 1h; echo code $?");

        screen.WaitFor("affinity: ");
        screen.Press("C-c");

        screen.WaitFor("code 130").Should().NotContain("^CT:").And.MatchRegex("(?m)^T: 0 ");
    }

    [FactNeeding(Need.Tmux)]
    public void Lines_are_updated_in_place_until_Ctrl_C()
    {
        using TmuxScreen screen = new(rows: 40);
        screen.Enter("clear; $picollo jitter -a 0; echo code $?");
        screen.WaitFor("picollo: measuring until Ctrl+C\n");
        int first = CountOf(screen.WaitFor(text => CountOf(text) > 0, "wake-ups"));
        string later = screen.WaitFor(text => CountOf(text) > first, "more wake-ups");

        screen.Press("C-c");
        string end = screen.WaitFor("code 130");

        Regex.Count(later, "(?m)^T: 0 ").Should().Be(1);
        Regex.Count(end, "(?m)^T: 0 ").Should().Be(1);
        end.Should().NotContain("^C", "the echo of the terminal is overwritten").And.MatchRegex("(?m)^CPU 0( +([0-9.]+|-)){6}$");
    }

    [FactNeeding(Need.Tmux)]
    public void Lines_are_truncated_on_a_narrow_terminal_and_repeated_without_color()
    {
        using TmuxScreen narrow = new(columns: 40, rows: 40);
        using TmuxScreen plain = new(rows: 40, environment: ("NO_COLOR", "1"));
        narrow.Enter("clear; $picollo jitter -v -a 0 -D 2500ms");
        plain.Enter("clear; $picollo jitter -v -a 0 -D 2500ms");

        narrow.WaitFor("CPU 0");
        Regex.Count(narrow.Screen, "(?m)^T: 0 ").Should().Be(1);
        narrow.Screen.Should().NotContain("Max:");
        plain.WaitFor("CPU 0");
        Regex.Count(plain.Screen, "(?m)^T: 0 ").Should().BeGreaterThan(1);
    }

    private static int CountOf(string screen) => Regex.Match(screen, "(?m)^T: 0 .* C: +([0-9]+)") is { Success: true } match ? int.Parse(match.Groups[1].Value, System.Globalization.CultureInfo.InvariantCulture) : 0;
}
