using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Cli.Jitter;

/// <summary>The <c>picollo jitter plot</c> command: draws saved results.</summary>
internal static class JitterPlotCommand
{
    public const string Page = "jitter.html";
    public const string SamplesPlot = "samples.svg";

    private const string PageExtension = ".html";
    private const string SvgExtension = ".svg";
    private const double NanosecondsPerMicrosecond = 1000;

    private const string Epilogue = """
        Input:
          DIR is the output directory of jitter -o or of jitterdebugger. The results of
          jitterdebugger have a resolution of one microsecond. With --samples, DIR can
          also be a sample file with latencies in microseconds. The plot then shows the
          largest latency of each CPU in up to 190 intervals.

        Examples:
          picollo jitter plot results
          picollo jitter plot results -o jitter.svg
          picollo jitter plot results --samples

        Exit codes:
          0    success
          1    the results do not exist or are damaged, or the file cannot be written
          2    invalid command line
        """;

    public static Command Create(Terminal terminal)
    {
        Argument<string> folder = new("DIR") { Description = "Directory with the saved results." };
        Option<string?> output = CommandOptions.Text(
            "-o", "--output", "FILE",
            $"Output file, {PageExtension} or {SvgExtension}. [default: DIR/{Page}; with --samples, DIR/{SamplesPlot}]");
        Option<bool> samples = new("--samples") { Description = $"Plot the samples of jitter -s over time, to a {SvgExtension} file." };
        Option<string?> title = CommandOptions.Text("--title", "TEXT", "Title of the plot. [default: machine, time and interval]");
        Command command = new("plot", "Draw saved results as an HTML page or an SVG image.") { folder, output, samples, title };
        command.Check(result =>
        {
            bool mayBePage = !result.GetValue(samples);
            string extensions = mayBePage ? $"{PageExtension} or {SvgExtension}" : SvgExtension;
            return result.GetValue(output) is { } path && !IsSvg(path) && !(mayBePage && IsPage(path))
                ? $"-o must be a file name that ends with {extensions}, not '{path}'."
                : null;
        });
        command.SetAction(parsed =>
        {
            string place = parsed.GetValue(folder)!;
            string? path = parsed.GetValue(output);
            string written = parsed.GetValue(samples)
                ? WriteSamples(terminal, place, path, parsed.GetValue(title))
                : WriteResults(place, path, parsed.GetValue(title));
            terminal.ReportWritten(written);
            return ExitCodes.Success;
        });
        CommandHelp.Append(command, Epilogue);
        return command;
    }

    private static string WriteResults(string folder, string? path, string? title)
    {
        IReadOnlyList<KeyValuePair<string, ReadOnlyHdrHistogram>> series = WithTotal(SavedResults.Read(folder));
        title ??= SavedResults.TitleOf(folder);
        return path is null || IsPage(path)
            ? Write(folder, Page, path, file => HdrHistogramPlot.WriteReport(file, series, Unit, title))
            : Write(folder, Page, path, file => file.Write(HdrHistogramPlot.CreateDistribution(series, Unit, title).ToSvgDocument()));
    }

    private static string WriteSamples(Terminal terminal, string place, string? path, string? title)
    {
        SampleSource source = SampleSource.Find(place, inNanoseconds: false);
        string folder = Path.GetDirectoryName(source.Path) is { Length: > 0 } parent ? parent : ".";
        string picture = SamplePlot.Create(source, terminal, Unit, title ?? SavedResults.TitleOf(folder)).ToSvgDocument();
        return Write(folder, SamplesPlot, path, file => file.Write(picture));
    }

    private static HdrHistogramUnit Unit => new() { Name = "µs", Ratio = NanosecondsPerMicrosecond };

    /// <param name="name">The name of the file in the folder if no path is specified.</param>
    private static string Write(string folder, string name, string? path, Action<TextWriter> write)
    {
        if (path is null && OperatingSystem.IsLinux())
        {
            using ResultFolder results = ResultFolder.Open(folder);
            results.WriteText(name, write);
        }
        else
        {
            OutputFile.WriteText(path ?? Path.Combine(folder, name), write);
        }

        return path ?? Path.Combine(folder, name);
    }

    private static bool IsSvg(string path) => path.EndsWith(SvgExtension, StringComparison.OrdinalIgnoreCase);

    private static bool IsPage(string path) => path.EndsWith(PageExtension, StringComparison.OrdinalIgnoreCase);

    /// <summary>Prepends a series for all CPUs. It is first because, with many CPUs, the last series share a band of the plot.</summary>
    private static IReadOnlyList<KeyValuePair<string, ReadOnlyHdrHistogram>> WithTotal(
        IReadOnlyList<KeyValuePair<string, ReadOnlyHdrHistogram>> cpus)
    {
        if (cpus.Count == 1)
        {
            return cpus;
        }

        HdrHistogramMerger merger = new();
        foreach (KeyValuePair<string, ReadOnlyHdrHistogram> cpu in cpus)
        {
            merger.Add(cpu.Value);
        }

        return [new("all CPUs", merger.ToHistogram()!), .. cpus];
    }
}
