using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Picollo.Samples.Top;

/// <summary><c>picollo top -b</c> in its own process: the tool as users have it.</summary>
/// <remarks>A process and not the tool's code, which is internal: linking it would take most of the tool's files, and a process shows what
/// users see. Like <c>top</c> in the document, it is itself on its pages.</remarks>
public sealed class PicolloTop : IDisposable
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(30);

    private readonly Process _process;
    private readonly ManualResetEventSlim _hasPage = new();
    private readonly List<string> _lines = [];

    /// <summary>Starts it, and returns when it shows its first page.</summary>
    /// <param name="nice">Its niceness; null to keep the caller's.</param>
    /// <param name="options">Its options, <c>-b</c> left out.</param>
    public PicolloTop(int? nice, params string[] options)
    {
        _process = new Process { StartInfo = Commands.Of(nice, Commands.Picollo, ["top", "-b", .. options]) };
        _process.OutputDataReceived += (_, line) =>
        {
            lock (_lines)
            {
                _lines.Add(line.Data ?? "");
            }

            _hasPage.Set();
        };
        _process.Start();
        _process.BeginOutputReadLine();
        _hasPage.Wait(StartLimit);
    }

    /// <summary>The pages that are complete.</summary>
    public IReadOnlyList<TopPage> Pages
    {
        get
        {
            lock (_lines)
            {
                return TopPage.Split(_lines)[..^1];
            }
        }
    }

    public void Dispose()
    {
        _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
        _hasPage.Dispose();
    }
}

/// <summary>A page that <c>picollo top -b</c> wrote.</summary>
/// <param name="Lines">Its lines.</param>
public sealed partial record TopPage(IReadOnlyList<string> Lines)
{
    /// <summary>The lines of CPU states: one for all CPUs, or one for each with <c>-1</c>.</summary>
    public IEnumerable<string> States => Lines.Where(line => line.StartsWith("%Cpu", StringComparison.Ordinal));

    /// <summary>The line that names the columns of the list.</summary>
    public string Header => Lines.FirstOrDefault(line => line.TrimStart().StartsWith("PID ", StringComparison.Ordinal)) ?? "";

    /// <summary>Divides output into pages. The last one may be incomplete.</summary>
    public static TopPage[] Split(IEnumerable<string> lines)
    {
        List<List<string>> pages = [[]];
        foreach (string line in lines)
        {
            if (line.StartsWith("top - ", StringComparison.Ordinal) && pages[^1].Count > 0)
            {
                pages.Add([]);
            }

            pages[^1].Add(line);
        }

        return [.. pages.Select(page => new TopPage(page))];
    }

    /// <summary>The percentages of a state, such as <c>us</c>, in each line of <see cref="States"/>.</summary>
    public double[] PercentOf(string state) =>
    [
        .. States.SelectMany(line => State().Matches(line)).Where(match => match.Groups[2].Value == state).Select(match => Number(match.Groups[1].Value)),
    ];

    /// <summary>The lines of processes or threads with a name; names of more than 15 characters are cut by the system.</summary>
    public IEnumerable<string> RowsOf(string command) =>
        Lines.Where(line => line.EndsWith(" " + (command.Length > 15 ? command[..15] : command), StringComparison.Ordinal));

    /// <summary>The line of a process; null if it is not on the page.</summary>
    public string? RowOf(int processId) => Lines.FirstOrDefault(line => line.TrimStart().StartsWith(
        processId.ToString(CultureInfo.InvariantCulture) + " ", StringComparison.Ordinal));

    /// <summary>A column of a line of the list; null if the page has no such column.</summary>
    public string? Column(string row, string name)
    {
        int index = Array.IndexOf(Words(Header), name);
        return index < 0 ? null : Words(row).ElementAtOrDefault(index);
    }

    /// <summary>The <c>%CPU</c> of a line of the list; 0 for no line.</summary>
    public double CpuOf(string? row) => row is not null && double.TryParse(Column(row, "%CPU"), CultureInfo.InvariantCulture, out double share) ? share : 0;

    private static string[] Words(string line) => line.Split(' ', StringSplitOptions.RemoveEmptyEntries);

    private static double Number(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    [GeneratedRegex("([0-9.]+) ([a-z]{2})(?:,|$)")]
    private static partial Regex State();
}
