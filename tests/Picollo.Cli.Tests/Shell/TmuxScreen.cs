using System.Diagnostics;
using System.Globalization;

namespace Picollo.Cli.Tests.Shell;

/// <summary>A real terminal with a shell, in a separate tmux(1) server. Types keys and captures the screen. In the shell, the tool is
/// <c>$picollo</c>, and the prompt is <c>$ </c>.</summary>
internal sealed class TmuxScreen : IDisposable
{
    public const string Prompt = "$ ";

    private static readonly TimeSpan Timeout = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan Pause = TimeSpan.FromMilliseconds(30);

    private readonly TemporaryFolder _folder = new();
    private readonly string _socket;
    private bool _isStarted;

    /// <summary>Opens a terminal and waits for the prompt of the shell.</summary>
    /// <param name="columns">The width of the terminal.</param>
    /// <param name="rows">The height of the terminal.</param>
    /// <param name="environment">Additional environment variables of the shell.</param>
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

    /// <summary>The text of the screen, without trailing spaces.</summary>
    public string Screen => Tmux("capture-pane", "-p");

    /// <summary>The text of the screen with the escape sequences of colors and attributes.</summary>
    public string StyledScreen => Tmux("capture-pane", "-p", "-e");

    /// <summary>The rows of the screen.</summary>
    public string[] Rows => Screen.Split('\n')[..^1];

    public bool IsCursorVisible => ReadVariable("cursor_flag") == "1";

    /// <summary>Whether a program uses the alternate screen of the terminal.</summary>
    public bool IsAlternateScreen => ReadVariable("alternate_on") == "1";

    /// <summary>Returns the path of a file in the current folder of the shell, which is deleted with the terminal.</summary>
    public string PathOf(string name) => _folder.PathOf(name);

    /// <summary>Types a literal text at once.</summary>
    public void Type(string text) => Tmux("send-keys", "-l", "--", text);

    /// <summary>Types a line and presses Enter.</summary>
    public void Enter(string line)
    {
        Type(line);
        Press("Enter");
    }

    /// <summary>Presses keys, which have the names of tmux: Enter, Escape, Up, PPage, BSpace, C-c.</summary>
    public void Press(params string[] keys) => Tmux(["send-keys", .. keys]);

    public void Resize(int columns, int rows) => Tmux("resize-window", "-x", Text(columns), "-y", Text(rows));

    /// <summary>Waits until the screen shows a text.</summary>
    /// <returns>The screen.</returns>
    public string WaitFor(string text) => WaitFor(screen => screen.Contains(text, StringComparison.Ordinal), $"\"{text}\"");

    /// <summary>Waits until the screen meets a condition.</summary>
    /// <param name="isThere">The condition.</param>
    /// <param name="what">A description of the condition, for the error message.</param>
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

            if (Stopwatch.GetElapsedTime(start) > Timeout)
            {
                throw new TimeoutException($"The screen has not shown {what} in {Timeout.TotalSeconds} s; it shows\n{screen}");
            }

            Thread.Sleep(Pause);
        }
    }

    /// <summary>Runs a command in the shell.</summary>
    /// <returns>The output of the command.</returns>
    public string Run(string command)
    {
        string output = _folder.PathOf("output"), done = _folder.PathOf("done");
        Enter($"clear; {{ {command}; }} > {output} 2>&1; mv {output} {done}");
        WaitFor(_ => File.Exists(done), $"the end of {command}");
        string text = File.ReadAllText(done);
        File.Delete(done);
        return text;
    }

    /// <summary>Ends the server, which hangs up the programs in the terminal.</summary>
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

    private string ReadVariable(string variable) => Tmux("display-message", "-p", $"#{{{variable}}}").Trim();

    private string Tmux(params string[] arguments) => Tool.Run("tmux", _folder.Path, new Dictionary<string, string?> { ["TMUX"] = null }, ["-S", _socket, .. arguments]);
}
