using System.Diagnostics;

namespace Picollo.Cli.Tests.Top;

/// <summary>Compares <c>picollo top</c> with <c>top</c> of procps.</summary>
[Trait("Category", "Slow")]
public sealed class TopPeersTests : IDisposable
{
    private readonly List<Process> _processes = [];

    public void Dispose()
    {
        foreach (Process process in _processes)
        {
            process.Kill();
            process.Dispose();
        }
    }

    [FactNeeding(Need.Top)]
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

    // Returns the last page, starting at the header.
    private static string[][] Rows(string output)
    {
        string[] lines = output[output.LastIndexOf("top - ", StringComparison.Ordinal)..].TrimEnd('\n').Split('\n');
        return [.. lines.SkipWhile(line => !line.Contains("PID USER")).Where(line => line.Length > 0).Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))];
    }

    private void Start(string program, params string[] arguments) => _processes.Add(Process.Start(program, arguments));
}
