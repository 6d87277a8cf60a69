using System.Diagnostics;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Picollo.Samples.Top;

/// <summary>Runs <c>picollo top -b</c> in a separate process.</summary>
/// <remarks>The sample starts a process, because the tool's code is internal and would need most of the tool's files, and because a process shows
/// what users see. A page is one update of the output. Like <c>top</c> in the document, <c>picollo top</c> lists itself.</remarks>
public sealed class PicolloTop : IDisposable
{
    private static readonly TimeSpan StartLimit = TimeSpan.FromSeconds(30);

    private readonly Process _process;
    private readonly ManualResetEventSlim _hasPage = new();
    private readonly List<string> _lines = [];

    /// <summary>Starts the process, and returns when it has printed its first page.</summary>
    /// <param name="nice">The niceness, or <see langword="null"/> to keep that of the caller.</param>
    /// <param name="options">The options of <c>picollo top</c>, without <c>-b</c>.</param>
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

    /// <summary>The complete pages.</summary>
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

/// <summary>A page that <c>picollo top -b</c> printed.</summary>
/// <param name="Lines">The lines of the page.</param>
public sealed partial record TopPage(IReadOnlyList<string> Lines)
{
    /// <summary>The lines with CPU states: one line for all CPUs, or with <c>-1</c> one line for each CPU.</summary>
    public IEnumerable<string> States => Lines.Where(line => line.StartsWith("%Cpu", StringComparison.Ordinal));

    /// <summary>The header line of the list.</summary>
    public string Header => Lines.FirstOrDefault(line => line.TrimStart().StartsWith("PID ", StringComparison.Ordinal)) ?? "";

    /// <summary>Divides output into pages. The last page can be incomplete.</summary>
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

    /// <summary>Returns the percentages of a state, such as <c>us</c>, in each line of <see cref="States"/>.</summary>
    public double[] PercentOf(string state) =>
    [
        .. States.SelectMany(line => State().Matches(line)).Where(match => match.Groups[2].Value == state).Select(match => Number(match.Groups[1].Value)),
    ];

    /// <summary>Returns the lines of processes or threads with a name. The system truncates names to 15 characters.</summary>
    public IEnumerable<string> RowsOf(string command) =>
        Lines.Where(line => line.EndsWith(" " + (command.Length > 15 ? command[..15] : command), StringComparison.Ordinal));

    /// <summary>Returns the line of a process, or <see langword="null"/> if the process is not on the page.</summary>
    public string? RowOf(int processId) => Lines.FirstOrDefault(line => line.TrimStart().StartsWith(
        processId.ToString(CultureInfo.InvariantCulture) + " ", StringComparison.Ordinal));

    /// <summary>Returns a column of a line of the list, or <see langword="null"/> if the page does not have the column.</summary>
    public string? Column(string row, string name)
    {
        int index = Array.IndexOf(Words(Header), name);
        return index < 0 ? null : Words(row).ElementAtOrDefault(index);
    }

    /// <summary>Returns the <c>%CPU</c> of a line of the list, or 0 if the line is <see langword="null"/>.</summary>
    public double CpuOf(string? row) => row is not null && double.TryParse(Column(row, "%CPU"), CultureInfo.InvariantCulture, out double share) ? share : 0;

    private static string[] Words(string line) => line.Split(' ', StringSplitOptions.RemoveEmptyEntries);

    private static double Number(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    [GeneratedRegex("([0-9.]+) ([a-z]{2})(?:,|$)")]
    private static partial Regex State();
}
