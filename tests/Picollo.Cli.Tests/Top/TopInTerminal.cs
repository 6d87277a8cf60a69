using System.Diagnostics;
using System.Globalization;
using Picollo.Cli.Tests.Shell;

namespace Picollo.Cli.Tests.Top;

/// <summary>Runs the interactive <c>picollo top</c> in a terminal. It takes further samples only on request, so that the page does not
/// change.</summary>
internal sealed class TopInTerminal : IDisposable
{
    private readonly List<Process> _started = [];

    public TopInTerminal(string options = "", int columns = 80, int rows = 24, string program = "$picollo", params (string Name, string Value)[] environment)
    {
        Screen = new TmuxScreen(columns, rows, environment);
        try
        {
            Screen.Enter($"sh -c 'echo $$ > own; exec \"$@\"' sh {program} top -d 1000 {options}; echo code $?");
            Screen.WaitFor("PID USER");
            OwnId = int.Parse(File.ReadAllText(Screen.PathOf("own")), CultureInfo.InvariantCulture);
        }
        catch
        {
            Dispose();
            throw;
        }
    }

    public TmuxScreen Screen { get; }

    /// <summary>The process ID of picollo.</summary>
    public int OwnId { get; }

    /// <summary>The rows of the list, split into columns.</summary>
    public string[][] List => ListOf(Screen.Screen);

    public IEnumerable<string> Ids => List.Select(row => row[0]);

    /// <summary>Waits until the rows of the list meet a condition. Returns the screen that shows them.</summary>
    public string WaitForList(Func<string[][], bool> isThere, string what) => Screen.WaitFor(screen => isThere(ListOf(screen)), what);

    /// <summary>Starts a process that sleeps until it is ended.</summary>
    public Process StartSleep() => Start("sleep", "12345");

    public Process Start(string program, params string[] arguments)
    {
        Process process = Process.Start(program, arguments);
        _started.Add(process);
        return process;
    }

    /// <summary>Waits for a question and answers it.</summary>
    /// <param name="question">A part of the question.</param>
    /// <param name="answer">The answer, without Enter.</param>
    public void Answer(string question, string answer)
    {
        Screen.WaitFor(question);
        Screen.Enter(answer);
    }

    /// <summary>Presses k or r, and enters the ID of a process.</summary>
    public void Choose(string key, Process process)
    {
        Screen.Press(key);
        Answer("PID to", process.Id.ToString(CultureInfo.InvariantCulture));
    }

    /// <summary>Waits until the tool ends.</summary>
    public void WaitForEnd(int code) => Screen.WaitFor($"code {code}");

    public void Dispose()
    {
        Screen.Dispose();
        foreach (Process process in _started)
        {
            process.Kill();
            process.Dispose();
        }
    }

    private static string[][] ListOf(string screen) =>
        [.. screen.Split('\n').SkipWhile(row => !row.TrimStart().StartsWith("PID USER", StringComparison.Ordinal)).Skip(1)
            .Where(row => row.Length > 0).Select(row => row.Split(' ', StringSplitOptions.RemoveEmptyEntries))];
}
