using System.Diagnostics;

namespace Picollo.Peers.Tests.SystemTools;

/// <summary>Runs a tool that prints reports, and takes samples at the same moments as the tool.</summary>
internal static class Reports
{
    private static readonly TimeSpan Deadline = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Calls <paramref name="sample"/> when the first line of each report arrives, just after the tool has read its files. Returns
    /// the lines from the last such line on.
    /// </summary>
    /// <param name="command">The tool and its arguments.</param>
    /// <param name="isFirst">A function that returns whether a line is the first line of a report.</param>
    /// <param name="sample">A callback with the number of the report, from 1.</param>
    public static List<string> Run(string[] command, Func<string, bool> isFirst, Action<int> sample)
    {
        // Makes the tool write line by line, although the output is not a terminal.
        var start = new ProcessStartInfo("stdbuf", ["-oL", .. command]) { RedirectStandardOutput = true };
        start.Environment["LC_ALL"] = "C";
        start.Environment["S_COLORS"] = "never";
        start.Environment["HOME"] = "/nonexistent"; // so that top does not find the user's settings
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
