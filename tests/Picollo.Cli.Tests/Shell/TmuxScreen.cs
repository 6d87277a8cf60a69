using System.Diagnostics;
using System.Globalization;

namespace Picollo.Cli.Tests.Shell;

/// <summary>A real terminal with a shell in it, by a tmux(1) server of its own: keys are typed, and what the screen then shows is captured. The tool is
/// <c>$picollo</c> there, the prompt <c>$ </c>.</summary>
internal sealed class TmuxScreen : IDisposable
{
    public const string Prompt = "$ ";

    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(30);

    private readonly TemporaryFolder _folder = new();
    private readonly string _socket;
    private bool _isStarted;

    /// <summary>Opens a terminal of that size; the shell's prompt is there.</summary>
    /// <param name="columns">Its width.</param>
    /// <param name="rows">Its height.</param>
    /// <param name="environment">Variables of the shell, laid over its own few.</param>
    public TmuxScreen(int columns = 80, int rows = 24, params (string Name, string Value)[] environment)
    {
        _socket = _folder.PathOf("socket");
        string configuration = _folder.PathOf("configuration");
        File.WriteAllText(configuration, """
            set -g status off
            set -g escape-time 0
            """);
        Dictionary<string, string> variables = new()
        {
            ["PATH"] = Environment.GetEnvironmentVariable("PATH")!,
            ["HOME"] = _folder.Path,
            ["LANG"] = "C.UTF-8",
            ["TERM"] = "screen-256color",
            ["PS1"] = Prompt,
            ["HISTFILE"] = "",
            ["picollo"] = PicolloTool.Word,
        };
        if (Environment.GetEnvironmentVariable("DOTNET_ROOT") is { } root)
        {
            variables["DOTNET_ROOT"] = root;
        }

        foreach ((string name, string value) in environment)
        {
            variables[name] = value;
        }

        try
        {
            string[] size = ["-x", Text(columns), "-y", Text(rows)];
            string[] shell = ["env", "-i", .. variables.Select(variable => $"{variable.Key}={variable.Value}")];
            Tmux(["-u", "-f", configuration, "new-session", "-d", .. size, "--", .. shell, "bash", "--noprofile", "--norc", "-i"]);
            _isStarted = true;
            WaitFor(screen => screen.TrimEnd('\n').EndsWith(Prompt.TrimEnd(), StringComparison.Ordinal), "the shell's prompt");
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    /// <summary>What the screen shows, its rows without the spaces at their ends.</summary>
    public string Screen => Tmux("capture-pane", "-p");

    /// <summary>The same with the escape sequences of its colors and attributes.</summary>
    public string StyledScreen => Tmux("capture-pane", "-p", "-e");

    /// <summary>The rows of the screen.</summary>
    public string[] Rows => Screen.Split('\n')[..^1];

    public bool IsCursorVisible => Tell("cursor_flag") == "1";

    /// <summary>Whether a program has changed to the terminal's other screen, which leaves this one's text as it was.</summary>
    public bool IsAlternateScreen => Tell("alternate_on") == "1";

    /// <summary>A file in the folder that the shell is in, which is gone with the terminal.</summary>
    public string PathOf(string name) => _folder.PathOf(name);

    /// <summary>Types text as it stands, in one go.</summary>
    public void Type(string text) => Tmux("send-keys", "-l", "--", text);

    /// <summary>Types a line and presses Enter.</summary>
    public void Enter(string line)
    {
        Type(line);
        Press("Enter");
    }

    /// <summary>Presses keys by tmux' names: Enter, Escape, Up, PPage, BSpace, C-c.</summary>
    public void Press(params string[] keys) => Tmux(["send-keys", .. keys]);

    public void Resize(int columns, int rows) => Tmux("resize-window", "-x", Text(columns), "-y", Text(rows));

    /// <summary>Waits until the screen shows a text.</summary>
    /// <returns>The screen.</returns>
    public string WaitFor(string text) => WaitFor(screen => screen.Contains(text, StringComparison.Ordinal), $"\"{text}\"");

    /// <summary>Waits until the screen is as it should.</summary>
    /// <param name="isThere">Whether it is.</param>
    /// <param name="what">That, for the message when it never is.</param>
    /// <returns>The screen.</returns>
    public string WaitFor(Func<string, bool> isThere, string what)
    {
        long start = Stopwatch.GetTimestamp();
        while (true)
        {
            string screen = Screen;
            if (isThere(screen))
            {
                return screen;
            }

            if (Stopwatch.GetElapsedTime(start) > Patience)
            {
                throw new TimeoutException($"The screen has not shown {what} in {Patience.TotalSeconds} s; it shows\n{screen}");
            }

            Thread.Sleep(Pause);
        }
    }

    /// <summary>Runs a command in the shell.</summary>
    /// <returns>What it printed.</returns>
    public string Run(string command)
    {
        string output = _folder.PathOf("output"), done = _folder.PathOf("done");
        Enter($"clear; {{ {command}; }} > {output} 2>&1; mv {output} {done}");
        WaitFor(_ => File.Exists(done), $"the end of {command}");
        string text = File.ReadAllText(done);
        File.Delete(done);
        return text;
    }

    /// <summary>Ends the server and, by hanging up, what runs in the terminal.</summary>
    public void Dispose()
    {
        if (_isStarted)
        {
            _isStarted = false;
            Tmux("kill-server");
        }

        _folder.Dispose();
    }

    private static string Text(int number) => number.ToString(CultureInfo.InvariantCulture);

    private string Tell(string variable) => Tmux("display-message", "-p", $"#{{{variable}}}").Trim();

    private string Tmux(params string[] arguments) => Tool.Run("tmux", _folder.Path, new Dictionary<string, string?> { ["TMUX"] = null }, ["-S", _socket, .. arguments]);
}
