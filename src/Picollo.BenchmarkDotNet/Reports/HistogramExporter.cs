using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Helpers;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using Picollo.BenchmarkDotNet.Measures;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>Writes the results of <see cref="HdrPercentilesAttribute"/> for each class: a log with an interval for each benchmark, tagged
/// with its name, and a percentile plot of all benchmarks, as an image and in a page with a table and tooltips.</summary>
internal sealed class HistogramExporter : IExporter
{
    public string Name => "Picollo";

    /// <summary>Does nothing, because the table already contains the percentiles.</summary>
    public void ExportToLog(Summary summary, ILogger logger)
    {
    }

    public IEnumerable<string> ExportToFiles(Summary summary, ILogger consoleLogger)
    {
        foreach (IGrouping<string, MeasuredHistogram> ofClass in MeasuredHistogram.FromSummary(summary))
        {
            string path = Path.Combine(summary.ResultsDirectoryPath, $"{ofClass.Key}-percentiles");
            KeyValuePair<string, ReadOnlyHdrHistogram>[] series =
                [.. ofClass.Select(measured => new KeyValuePair<string, ReadOnlyHdrHistogram>(measured.Name, measured.Histogram))];
            HdrHistogramUnit unit = new() { Name = "ns" };
            string Picture() => HdrHistogramPlot.CreatePercentiles(series, unit, ofClass.Key).ToSvgDocument();
            (string File, Action<string> Write)[] files =
            [
                ($"{path}.hlog", file => WriteLog(file, summary, ofClass)),
                ($"{path}.svg", file => File.WriteAllText(file, Picture())),
                ($"{path}.html", file => WritePage(file, series, unit, ofClass.Key)),
            ];
            foreach ((string file, _) in files.Where(output => IsWritten(output.File, output.Write, consoleLogger)))
            {
                yield return file;
            }
        }
    }

    // An exporter must not throw: BenchmarkDotNet would skip the table and the files of later exporters.
    private static bool IsWritten(string file, Action<string> write, ILogger logger)
    {
        try
        {
            write(file);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            logger.WriteLineError($"Not written: {file}: {e.Message}");
            return false;
        }
    }

    private static void WritePage(string path, KeyValuePair<string, ReadOnlyHdrHistogram>[] series, HdrHistogramUnit unit, string title)
    {
        using StreamWriter html = new(path);
        HdrHistogramPlot.WriteReport(html, series, unit, title);
    }

    private static void WriteLog(string path, Summary summary, IEnumerable<MeasuredHistogram> benchmarks)
    {
        using HdrHistogramLogWriter log = new(path);
        log.WriteHeader(benchmarks.Min(measured => measured.Times.StartTimeUtc), $"{summary.Title}: single invocations in nanoseconds");
        foreach (MeasuredHistogram measured in benchmarks)
        {
            log.WriteInterval(measured.Histogram, measured.Times.StartTimeUtc, measured.Times.EndTimeUtc, Tag(measured.Name));
        }
    }

    // A tag must not contain the characters that separate the fields of a log.
    private static string Tag(string name) =>
        string.Concat(name.Select(c => c is ',' || char.IsWhiteSpace(c) || char.IsControl(c) ? '_' : c));
}

/// <summary>The distribution of the single calls of a benchmark. The name distinguishes the benchmark within its class.</summary>
internal sealed record MeasuredHistogram(string Name, InvocationTimes Times, HdrHistogram Histogram)
{
    /// <summary>Returns the distributions in a summary, grouped by class. The key is the prefix of file names; the benchmarks are in the
    /// order of the summary.</summary>
    public static IEnumerable<IGrouping<string, MeasuredHistogram>> FromSummary(Summary summary) =>
        from benchmark in summary.BenchmarksCases
        let times = MeasuredBenchmarks.GetResult(benchmark)?.Invocations
        where times is not null
        group (benchmark, times) by benchmark.Descriptor.Type into ofClass
        let hasJobs = ofClass.DistinctBy(measured => measured.benchmark.Job.ResolvedId).Count() > 1
        from measured in ofClass
        group Decode(measured.benchmark, measured.times, hasJobs) by FolderNameHelper.ToFolderName(ofClass.Key);

    private static MeasuredHistogram Decode(BenchmarkCase benchmark, InvocationTimes times, bool hasJobs)
    {
        string job = hasJobs ? $" {benchmark.Job.ResolvedId}" : "";
        string parameters = benchmark.HasParameters ? $" {benchmark.Parameters.DisplayInfo}" : "";
        return new(
            $"{benchmark.Descriptor.WorkloadMethodDisplayInfo}{job}{parameters}", times, HdrHistogramEncoding.Decode(times.Nanoseconds));
    }
}
