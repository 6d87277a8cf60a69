using System.Diagnostics;

namespace Picollo.Export.Tests;

[Trait("Category", "Slow")]
public sealed class KilledRecorderTests : IDisposable
{
    private const int Kills = 8;

    private readonly string _folder = Directory.CreateTempSubdirectory("picollo-kill-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [FactNeeding(Need.Linux)]
    public void A_killed_process_leaves_complete_lines() => Seeded.Run(1, random =>
    {
        int lines = 0;
        for (int i = 0; i < Kills; i++)
        {
            string log = Path.Combine(_folder, $"{i}.hlog");
            using (Process process = Start(log))
            {
                process.StandardOutput.ReadLine().Should().Be("recording");
                WaitForBytes(random.Next(1, 100_000), $"{i}.*");
                process.Kill();
                process.StandardOutput.ReadToEnd().Should().BeEmpty("no error is reported");
                process.WaitForExit();
            }

            foreach (string file in Directory.EnumerateFiles(_folder, $"{i}.*"))
            {
                lines += CheckLines(file, file == log);
            }
        }

        lines.Should().BeGreaterThan(Kills);
    });

    /// <summary>Only the last line of the current file can be truncated: if a line spans several pages, the kernel can stop between
    /// them.</summary>
    private static int CheckLines(string file, bool wasWritten)
    {
        using var log = new HdrHistogramLogReader(file);
        var intervals = new List<HdrHistogramLogInterval>();
        try
        {
            intervals.AddRange(log.ReadAll());
        }
        catch (HdrHistogramFormatException e) when (wasWritten)
        {
            e.Problem.Should().StartWith("The last line is truncated: ");
            log.Read().Should().BeNull();
        }

        intervals.Select(interval => interval.StartTime).Should().BeInAscendingOrder();
        return intervals.Count;
    }

    /// <summary>Waits until the logs have a length, so that the process can be killed at any position of a line.</summary>
    private void WaitForBytes(long bytes, string files)
    {
        var deadline = Stopwatch.StartNew();
        while (new DirectoryInfo(_folder).EnumerateFiles(files).Sum(file => file.Length) < bytes)
        {
            deadline.Elapsed.Should().BeLessThan(TimeSpan.FromMinutes(1));
            Thread.Sleep(1);
        }
    }

    private static Process Start(string log)
    {
        string[] line = Tool.HelperApp("record-log", log);
        return Process.Start(new ProcessStartInfo(line[0], line[1..]) { RedirectStandardOutput = true })!;
    }
}
