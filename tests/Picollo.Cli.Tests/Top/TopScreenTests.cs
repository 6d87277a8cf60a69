using System.Diagnostics;
using System.Globalization;
using Picollo.Cli.Tests.Shell;

namespace Picollo.Cli.Tests.Top;

/// <summary>The keys of <c>picollo top</c>.</summary>
[Trait("Category", "Slow")]
public class TopScreenTests
{
    [FactNeeding(Need.Tmux)]
    public void Letter_keys_sort_the_list()
    {
        using TopInTerminal top = new(columns: 120, rows: 40);

        foreach ((string key, int column) in ((string, int)[])[("M", 9), ("T", 11), ("P", 8)])
        {
            top.Screen.Press("N");
            top.Screen.WaitFor(_ => IsDescending(top, 0), "pids from the largest");
            top.Screen.Press(key);
            top.Screen.WaitFor(_ => IsDescending(top, column) && !IsDescending(top, 0), $"what {key} orders");
        }

        top.Screen.Press("N", "R");
        top.Screen.WaitFor(_ => top.Ids.First() == "1", "pid 1 first");
    }

    [FactNeeding(Need.Tmux)]
    public void The_list_can_be_limited_to_a_text_or_a_user_and_help_is_shown()
    {
        using TopInTerminal top = new(columns: 120);

        top.Screen.Press("/");
        top.Answer("Text in the command or user (empty for all):", "xyz");
        top.Screen.WaitFor("filter: xyz");
        top.WaitForList(rows => rows.Length == 0, "no row");
        top.Screen.Press("o", "Enter");
        top.WaitForList(rows => rows.Length > 1, "all").Should().NotContain("filter:");
        foreach ((string answer, Func<string[][], bool> isThere) in ((string, Func<string[][], bool>)[])
            [(Environment.UserName, rows => rows.Length > 0 && rows.All(row => row[1] == TopUser.Shown)), ("4000000000", rows => rows.Length == 0), ("", rows => rows.Length > 0)])
        {
            top.Screen.Press("u");
            top.Answer("Name or ID of the user to list", answer);
            top.WaitForList(isThere, $"the processes of '{answer}'");
        }

        top.Screen.Press("u");
        top.Answer("Name or ID of the user to list", "no such one");
        top.Screen.WaitFor("User no such one does not exist.");
        foreach (string key in (string[])["h", "?"])
        {
            top.Screen.Press(key);
            top.Screen.WaitFor("Press any key to return.").Should().NotContain("+\n").And.Contain("picollo top: keys")
                .And.NotContain("PID USER");
            top.Screen.Press("x");
            top.Screen.WaitFor("PID USER");
        }
    }

    [FactNeeding(Need.Tmux)]
    public void Keys_toggle_the_display()
    {
        using TopInTerminal top = new($"-p {Environment.ProcessId}", columns: 120);
        top.List.Should().ContainSingle();

        top.Screen.Press("1");
        top.Screen.WaitFor("%Cpu0");
        top.Screen.Press("1");
        top.Screen.WaitFor("%Cpu(s)");
        top.Screen.Press("c");
        top.Screen.WaitFor("dotnet exec");
        top.Screen.Press("c", "H");
        top.Screen.WaitFor("Threads:");
        top.Screen.Screen.Should().Contain(".NET").And.NotContain("dotnet exec");
        top.List.Length.Should().BeGreaterThan(3);
        top.Screen.Press("H");
        top.Screen.WaitFor("Tasks:");
        top.List.Should().ContainSingle();
        top.Screen.Press("F");
        top.Screen.WaitFor("Unknown key; press h for help.");
    }

    [FactNeeding(Need.Tmux)]
    public void The_list_scrolls_and_questions_default_to_the_first_row()
    {
        using TopInTerminal top = new("-o PID", rows: 12);
        string[] first = [.. top.Ids];

        top.Screen.Press("Down");
        top.Screen.WaitFor(_ => top.Ids.First() == first[1], "the second row first");
        top.Screen.Press("k");
        top.Screen.WaitFor($"PID to signal [{first[1]}]:");
        top.Screen.Press("Escape", "Up", "Up", "Up");
        top.Screen.WaitFor(_ => top.Ids.SequenceEqual(first), "the first page");
        top.Screen.Press("NPage");
        top.Screen.WaitFor(_ => !top.Ids.Intersect(first).Any(), "another page");
        top.Screen.Press("End");
        top.Screen.WaitFor(_ => top.Ids.Last() == "1" && top.Ids.Count() == first.Length, "a full page that ends with pid 1");
        top.Screen.Press("NPage", "Down", "PPage", "Home");
        top.Screen.WaitFor(_ => top.Ids.SequenceEqual(first), "the first page");
    }

    [FactNeeding(Need.Tmux)]
    public void Samples_are_taken_on_request_and_after_each_delay()
    {
        using TopInTerminal top = new();
        string time = top.Screen.Rows[0][..14];

        foreach (string key in (string[])["Space", "Enter"])
        {
            Thread.Sleep(1100);
            top.Screen.Rows[0].Should().StartWith(time);
            top.Screen.Press(key);
            top.Screen.WaitFor(screen => !screen.StartsWith(time, StringComparison.Ordinal), "another time");
            time = top.Screen.Rows[0][..14];
        }

        foreach (string key in (string[])["d", "s"])
        {
            top.Screen.Press(key);
            top.Answer("Seconds between samples [1000]:", "0.01");
            top.Screen.WaitFor("0.01 is not a valid delay: 0.1 to 1000000 seconds.");
        }

        top.Screen.Press("d");
        top.Answer("[1000]:", "0.5");
        top.Screen.WaitFor(screen => !screen.StartsWith(time, StringComparison.Ordinal), "another time");
        top.Screen.Press("d");
        top.Screen.WaitFor("[0.5]:");
    }

    [FactNeeding(Need.Tmux)]
    public void A_question_can_be_edited()
    {
        using TopInTerminal top = new();

        top.Screen.Press("k");
        top.Screen.WaitFor("]:");
        top.Screen.WaitFor(_ => top.Screen.IsCursorVisible, "the cursor");
        top.Screen.Type("12ä😀");
        top.Screen.Press("BSpace", "Enter");
        top.Screen.WaitFor("12ä is not a process ID.");
        top.Screen.WaitFor(_ => !top.Screen.IsCursorVisible, "no cursor");
    }

    [FactNeeding(Need.Tmux)]
    public void A_process_is_shown_with_its_session_and_threads_until_it_exits()
    {
        using TopInTerminal top = new(columns: 100, rows: 60);
        using Process self = Process.GetCurrentProcess();
        for (int i = 0; i < 3; i++)
        {
            Thread.Sleep(100);
            top.Screen.Press("Space");
        }

        top.Choose("p", self);
        string screen = top.Screen.WaitFor("TID S  %CPU %WAIT     TIME+ THREAD");

        screen.Should().StartWith(string.Create(CultureInfo.InvariantCulture, $"{self.Id} "))
            .And.MatchRegex("\n%CPU over [0-9.]+ m?s: p50 [0-9.]+, p90 [0-9.]+, p99 [0-9.]+, max [0-9.]+\n").And.Contain("#").And.Contain(".NET");
        screen.ReplaceLineEndings("").Should().Contain("testhost.dll", "a command line that is wider than the screen is wrapped");
        top.Screen.Press("x");
        top.Screen.WaitFor("PID USER");
        Process sleep = top.StartSleep();
        top.Screen.Press("d");
        top.Answer("Seconds", "0.2");
        top.Choose("p", sleep);
        top.Screen.WaitFor("sleep 12345");
        sleep.Kill();
        top.Screen.WaitFor($"{sleep.Id} has exited.").Should().Contain("PID USER");
    }

    [FactNeeding(Need.Tmux)]
    public void Typed_ahead_keys_are_handled()
    {
        using TmuxScreen screen = new();
        screen.Enter("$picollo top -d 1000; echo code $?");
        screen.Type("1cu0\rN");
        screen.Press("Down", "Escape", "k", "7", "Enter");

        screen.WaitFor(text => text.Contains("%Cpu0", StringComparison.Ordinal) && (text.Contains("Signal for 7", StringComparison.Ordinal) || text.Contains("Process 7 does not exist", StringComparison.Ordinal)), "the last of them");
        screen.Press("C-c");
        screen.WaitFor("code 130");
    }

    [FactNeeding(Need.Tmux)]
    public void The_last_of_N_pages_remains_on_the_terminal()
    {
        using TmuxScreen screen = new();

        screen.Enter("$picollo top -n 2 -d 0.5; echo code $?");

        screen.WaitFor("code 0").Should().Contain("PID USER");
        screen.IsAlternateScreen.Should().BeFalse();
    }

    [FactNeeding(Need.Tmux)]
    public void A_long_question_remains_visible_after_a_resize()
    {
        using TopInTerminal top = new();
        Process sleep = top.StartSleep();
        top.Choose("k", sleep);
        top.Answer("Signal for", "");
        top.Screen.WaitFor("[y/N]");

        top.Screen.Resize(20, 8);

        top.Screen.WaitFor(_ => string.Concat(top.Screen.Rows).Replace(" ", "", StringComparison.Ordinal).Contains($"SendSIGTERMto{sleep.Id}(sleep12345)ofuser{Environment.UserName}?[y/N]", StringComparison.Ordinal), "the whole question");
        top.Screen.Press("y");
        sleep.WaitForExit(TimeSpan.FromSeconds(20)).Should().BeTrue();
    }

    private static bool IsDescending(TopInTerminal top, int column)
    {
        double[] values = [.. top.List.Select(row => Value(row[column]))];
        return values.Zip(values.Skip(1)).All(pair => pair.First >= pair.Second);
    }

    // A number, or a time of minutes and seconds.
    private static double Value(string text)
    {
        string[] parts = text.Split(':');
        return parts.Length == 1 ? double.Parse(text, CultureInfo.InvariantCulture)
            : (double.Parse(parts[0], CultureInfo.InvariantCulture) * 60) + double.Parse(parts[1], CultureInfo.InvariantCulture);
    }
}
