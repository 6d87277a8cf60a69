using System.Diagnostics;
using System.Globalization;
using System.Text.Json;

namespace Picollo.Cli.Tests.Top;

/// <summary>Compares <c>picollo top</c> with <c>top</c> of procps and with <c>pidstat</c>.</summary>
[Trait("Category", "Slow")]
public sealed class TopPeersTests : IDisposable
{
    /// <summary>The permitted difference of CPU shares over two seconds, because the tools take their samples at different times on a busy
    /// machine.</summary>
    private const double Tolerance = 0.1;

    private const int Attempts = 4;

    private readonly List<Process> _processes = [];

    public void Dispose()
    {
        foreach (Process process in _processes)
        {
            process.Kill();
            process.Dispose();
        }
    }

    [FactNeeding(Need.Top, Need.Pidstat, Need.Taskset)]
    public void The_row_of_a_sleeping_process_matches_top_except_for_the_wait()
    {
        Start("sleep", "1000");
        Start("nice", "-n", "5", "sleep", "1000");
        Start("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done; kill -STOP $$"); // has used some CPU time
        string ids = string.Join(',', _processes.Select(process => process.Id));
        SpinWait.SpinUntil(() => File.ReadAllText($"/proc/{_processes[^1].Id}/stat").Contains(") T "), TimeSpan.FromSeconds(20)).Should().BeTrue();

        ToolRun ours = PicolloTool.Run("top", "-b", "-n1", "-o", "PID", "-p", ids);
        ToolRun theirs = PicolloTool.RunInShell($"HOME=/nonexistent LC_ALL=C top -b -n1 -w 200 -o PID -p {ids}");

        string[][] ourRows = Rows(ours.Output);
        ourRows.Should().HaveCount(_processes.Count + 1, "the rows include the header");
        ourRows.Select(row => string.Join(' ', row.Where((_, i) => i != 10))).Should().Equal(Rows(theirs.Output).Select(row => string.Join(' ', row)));
    }

    [FactNeeding(Need.Top, Need.Pidstat, Need.Taskset)]
    public void Shares_match_top_and_waits_match_pidstat()
    {
        Start("taskset", "-c", "0", "sh", "-c", "while :; do :; done");
        Start("taskset", "-c", "0", "nice", "-n", "3", "sh", "-c", "while :; do :; done");
        string ids = string.Join(',', _processes.Select(process => process.Id));
        List<string> apart = [];
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            ToolRun run = PicolloTool.RunInShell($"""
                export HOME=/nonexistent LC_ALL=C S_COLORS=never
                folder=$(mktemp -d)
                top -b -n 2 -d 2 -p {ids} > $folder/top & pidstat -u -p {ids} 2 1 > $folder/pidstat &
                $picollo top --json -n 2 -d 2 -p {ids}
                wait; cat $folder/top >&2; echo ==== >&2; cat $folder/pidstat >&2; rm -r $folder
                """);
            using JsonDocument ours = JsonDocument.Parse(run.Output.TrimEnd('\n').Split('\n')[^1]);
            string[] reports = run.Error.Split("====");
            apart = [.. _processes.SelectMany(process => Apart(process.Id, ours.RootElement, reports[0], reports[1]))];
            if (apart.Count == 0)
            {
                return;
            }
        }

        apart.Should().BeEmpty();
    }

    private static IEnumerable<string> Apart(int id, JsonElement ours, string top, string pidstat)
    {
        JsonElement process = ours.GetProperty("processes").EnumerateArray().Single(each => each.GetProperty("processId").GetInt32() == id);
        double cpu = process.GetProperty("cpuShare").GetDouble();
        double wait = process.GetProperty("waitShare").GetDouble();
        double topCpu = Percent(Rows(top).Single(row => row[0] == $"{id}")[8]);
        // Average: UID PID %usr %system %guest %wait %CPU CPU Command
        string[] average = pidstat.Split('\n').Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries)).Single(row => row is ["Average:", _, ..] && row[2] == $"{id}");
        (string What, double Ours, double Theirs)[] pairs = [("top's %CPU", cpu, topCpu), ("pidstat's %CPU", cpu, Percent(average[7])), ("pidstat's %wait", wait, Percent(average[6]))];
        return pairs.Where(pair => Math.Abs(pair.Ours - pair.Theirs) > Tolerance).Select(pair => $"{id}: {pair.What} is {pair.Theirs}, ours {pair.Ours}");
    }

    private static double Percent(string text) => double.Parse(text, CultureInfo.InvariantCulture) / 100;

    // Returns the last page, starting at the header.
    private static string[][] Rows(string output)
    {
        string[] lines = output[output.LastIndexOf("top - ", StringComparison.Ordinal)..].TrimEnd('\n').Split('\n');
        return [.. lines.SkipWhile(line => !line.Contains("PID USER")).Where(line => line.Length > 0).Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))];
    }

    private void Start(string program, params string[] arguments) => _processes.Add(Process.Start(program, arguments));
}
