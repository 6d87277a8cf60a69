using System.CommandLine;
using Picollo.Export;
using Picollo.Export.Plots;

namespace Picollo.Cli.Jitter;

/// <summary><c>picollo jitter plot</c>: saved results as a picture.</summary>
internal static class JitterPlotCommand
{
    public const string Page = "jitter.html";

    private const string PageEnding = ".html";
    private const string PictureEnding = ".svg";
    private const double NanosecondsPerMicrosecond = 1000;

    private const string Epilogue = """
        DIR is what jitter -o has written; results of jitterdebugger do as well, with
        its microseconds.

        Examples:
          picollo jitter plot results
          picollo jitter plot results -o jitter.svg

        Exit codes:
          0    done
          1    there are no results, they are damaged, or the file cannot be written
          2    the command line is not understood
        """;

    public static Command Create(Terminal terminal)
    {
        Argument<string> folder = new("DIR") { Description = "The folder of the results." };
        Option<string?> output = CommandOptions.Text(
            "-o", "--output", "FILE", $"Write this {PageEnding} or {PictureEnding} file. [default: DIR/{Page}]");
        output.Check(
            path => IsPage(path) || path.EndsWith(PictureEnding, StringComparison.OrdinalIgnoreCase),
            path => $"-o is a file that ends in {PageEnding} or {PictureEnding}, not '{path}'.");
        Option<string?> title = CommandOptions.Text("--title", "TEXT", "Set the heading. [default: machine, time and interval]");
        Command command = new("plot", "Draw saved results as a page or a picture.") { folder, output, title };
        command.SetAction(parsed =>
        {
            string folderName = parsed.GetValue(folder)!;
            Write(folderName, parsed.GetValue(output), parsed.GetValue(title));
            terminal.ReportWritten(parsed.GetValue(output) ?? Path.Combine(folderName, Page));
            return ExitCodes.Success;
        });
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    private static void Write(string folder, string? path, string? title)
    {
        IReadOnlyList<HdrHistogramSeries> series = WithTotal(SavedResults.Read(folder));
        HdrHistogramPlotOptions options = new()
        {
            Title = title ?? SavedResults.TitleOf(folder),
            Unit = new() { Name = "µs", Ratio = NanosecondsPerMicrosecond },
        };
        if (path is null && OperatingSystem.IsLinux())
        {
            using ResultFolder results = ResultFolder.Open(folder);
            results.WriteText(Page, WritePage);
        }
        else if (path is null || IsPage(path))
        {
            OutputFile.WriteText(path ?? Path.Combine(folder, Page), WritePage);
        }
        else
        {
            OutputFile.WriteText(path, file => file.Write(HdrHistogramPlot.CreateDistribution(series, options).ToSvgDocument()));
        }

        void WritePage(TextWriter file) => HdrHistogramPlot.WriteReport(file, series, options);
    }

    private static bool IsPage(string path) => path.EndsWith(PageEnding, StringComparison.OrdinalIgnoreCase);

    /// <summary>All of them first: of many CPUs, those that come last share a band.</summary>
    private static IReadOnlyList<HdrHistogramSeries> WithTotal(IReadOnlyList<HdrHistogramSeries> cpus)
    {
        if (cpus.Count == 1)
        {
            return cpus;
        }

        HdrHistogramMerger merger = new();
        foreach (HdrHistogramSeries cpu in cpus)
        {
            merger.Add(cpu.Histogram);
        }

        return [new("all CPUs", merger.ToHistogram()!), .. cpus];
    }
}
