using System.Diagnostics;
using System.Globalization;
using Picollo.Cli.Tests.Shell;

namespace Picollo.Cli.Tests.Top;

/// <summary>Signals and niceness changes of <c>picollo top</c>, and their confirmations.</summary>
[Trait("Category", "Slow")]
public class TopSignalTests
{
    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(20);

    [FactNeeding(Need.Tmux)]
    public void A_signal_is_sent_after_confirmation()
    {
        using TopInTerminal top = new();
        foreach ((string answer, string name, int code) in ((string, string, int)[])[("", "SIGTERM", 143), ("usr1", "SIGUSR1", 138), ("SIGKILL", "SIGKILL", 137), ("12", "SIGUSR2", 140)])
        {
            Process sleep = top.StartSleep();
            top.Choose("k", sleep);
            top.Answer($"Signal for {sleep.Id} by name or number [15/TERM]:", answer);
            top.Screen.WaitFor($"Send {name} to {sleep.Id} (sleep 12345) of user {Environment.UserName}? [y/N]");
            top.Screen.WaitFor(_ => top.Screen.IsCursorVisible, "the cursor");
            top.Screen.Press("y");
            top.Screen.WaitFor($"{name} was sent to {sleep.Id}.");
            sleep.WaitForExit(Timeout).Should().BeTrue();
            sleep.ExitCode.Should().Be(code);
        }

        top.Screen.Press("q");
        top.WaitForEnd(0);
    }

    [FactNeeding(Need.Tmux)]
    public void Any_answer_except_yes_cancels_and_an_ended_process_is_reported()
    {
        using TopInTerminal top = new();
        Process sleep = top.StartSleep();
        foreach (string key in (string[])["n", "Enter", "Escape", "Space", "x"])
        {
            top.Choose("k", sleep);
            top.Answer("Signal for", "KILL");
            top.Screen.WaitFor("[y/N]");
            top.Screen.Press(key);
            top.Screen.WaitFor("Canceled.");
        }

        top.Choose("k", sleep);
        top.Answer("Signal for", "nonsense");
        top.Screen.WaitFor("Signal nonsense does not exist.");
        top.Choose("k", sleep);
        top.Screen.WaitFor("Signal for");
        top.Screen.Press("Escape");
        top.Screen.WaitFor(screen => !screen.Contains("Signal for", StringComparison.Ordinal), "no question");
        sleep.HasExited.Should().BeFalse();
        top.Choose("k", sleep);
        top.Answer("Signal for", "");
        top.Screen.WaitFor("[y/N]");
        sleep.Kill();
        sleep.WaitForExit();
        top.Screen.Press("y");
        top.Screen.WaitFor("exited");
    }

    [FactNeeding(Need.Tmux)]
    public void The_first_process_and_picollo_require_two_confirmations()
    {
        using TopInTerminal top = new(columns: 120);
        foreach (string answer in (string[])["n", "y"])
        {
            top.Screen.Press("k");
            top.Answer("PID to signal", "1");
            top.Answer("Signal for", "CONT"); // has no effect on a running process, in case it is sent by mistake
            top.Screen.WaitFor("Send SIGCONT to 1 (");
            top.Screen.Press(answer);
            if (answer == "y")
            {
                top.Screen.WaitFor("1 is the init process, on which all others depend. Send SIGCONT to it anyway? [y/N]");
                top.Screen.Press("n");
            }

            top.Screen.WaitFor("Canceled.");
        }

        top.Screen.Press("k");
        top.Answer("PID to signal", $"{top.OwnId}");
        top.Answer("Signal for", "");
        top.Screen.WaitFor($"Send SIGTERM to {top.OwnId} (");
        top.Screen.Press("y");
        top.Screen.WaitFor($"{top.OwnId} is picollo itself. Send SIGTERM to it anyway? [y/N]");
        top.Screen.Press("y");
        top.WaitForEnd(143);
        top.Screen.IsAlternateScreen.Should().BeFalse();
    }

    [FactNeeding(Need.Tmux)]
    public void Niceness_is_set_after_confirmation()
    {
        using TopInTerminal top = new();
        Process sleep = top.StartSleep();
        int nice = NiceOf(sleep);
        foreach ((string answer, string key, string message, int then) in ((string, string, string, int)[])
            [($"{nice + 2}", "n", "Canceled.", nice), ($"{nice + 3}", "y", $"The niceness of {sleep.Id} is now {nice + 3}.", nice + 3)])
        {
            top.Choose("r", sleep);
            top.Answer($"Niceness for {sleep.Id}, -20 to 19 [{nice}]:", answer);
            top.Screen.WaitFor($"Set niceness {answer} for {sleep.Id} (sleep 12345) of user {Environment.UserName}? [y/N]");
            top.Screen.Press(key);
            top.Screen.WaitFor(message);
            NiceOf(sleep).Should().Be(then);
        }

        foreach (string answer in (string[])["20", "-21", "x"])
        {
            top.Choose("r", sleep);
            top.Answer("Niceness for", answer);
            top.Screen.WaitFor($"{answer} is not a valid niceness: -20 to 19.");
        }
    }

    [FactNeeding(Need.Tmux)]
    public void Secure_mode_disables_signals_and_niceness()
    {
        using TopInTerminal top = new("--secure");
        foreach (string key in (string[])["k", "r"])
        {
            top.Screen.Press(key);
            top.Screen.WaitFor("Disabled by --secure.");
            top.Screen.Press("h");
            top.Screen.WaitFor("  k, r                 disabled by --secure");
            top.Screen.Press("x");
            top.Screen.WaitFor("PID USER").Should().NotContain("Off:");
        }
    }

    [FactNeeding(Need.Tmux)]
    public void Control_characters_in_questions_are_replaced()
    {
        using Process evil = Process.Start("bash", ["-c", "exec -a $'\\e[2Jevil\\e]0;x\\a\\nname\\u202e' sleep 12345"]);
        try
        {
            using TopInTerminal top = new($"-c -p {evil.Id}");
            top.Screen.WaitFor("?[2Jevil").Should().StartWith("top - ");
            top.Choose("k", evil);
            top.Answer("Signal for", "");

            top.Screen.WaitFor($"Send SIGTERM to {evil.Id} (?[2Jevil?]0;x??name? 12345) of user {Environment.UserName}? [y/N]").Should().StartWith("top - ");
            top.Screen.Press("n");
            top.Screen.WaitFor("Canceled.");
            top.Choose("p", evil);
            top.Screen.WaitFor("TID S ").Should().Contain("\n?[2Jevil?]0;x??name? 12345\n");
        }
        finally
        {
            evil.Kill();
        }
    }

    // Field 19 of proc_pid_stat(5).
    private static int NiceOf(Process process)
    {
        string stat = File.ReadAllText($"/proc/{process.Id}/stat");
        return int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[16], CultureInfo.InvariantCulture);
    }
}
