using System.Diagnostics;

namespace Picollo.Peers.Tests.SystemTools;

/// <summary>Runs a tool that prints reports, and takes samples at the moments at which it takes its own.</summary>
internal static class Reports
{
    private static readonly TimeSpan Deadline = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Calls <paramref name="sample"/> as each report's first line comes: the tool has read its files just before. Returns
    /// the lines from the last such line on.
    /// </summary>
    /// <param name="command">The tool and its arguments.</param>
    /// <param name="isFirst">Whether a line is the first of a report.</param>
    /// <param name="sample">Called with the report's number, from 1.</param>
    public static List<string> Run(string[] command, Func<string, bool> isFirst, Action<int> sample)
    {
        // Line by line, though it is no terminal that is written to.
        var start = new ProcessStartInfo("stdbuf", ["-oL", .. command]) { RedirectStandardOutput = true };
        start.Environment["LC_ALL"] = "C";
        start.Environment["S_COLORS"] = "never";
        start.Environment["HOME"] = "/nonexistent"; // where top would find somebody's settings
        using var tool = Process.Start(start)!;
        using var watchdog = new Timer(_ => tool.Kill(), null, Deadline, Timeout.InfiniteTimeSpan);
        var last = new List<string>();
        int count = 0;
        while (tool.StandardOutput.ReadLine() is { } line)
        {
            if (isFirst(line))
            {
                sample(++count);
                last.Clear();
            }

            last.Add(line);
        }

        tool.WaitForExit();
        tool.ExitCode.Should().Be(0, string.Join(' ', command));
        return last;
    }

    public static string[] Fields(string line) => line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
}
