using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Helpers;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using Picollo.BenchmarkDotNet.Exchange;
using Picollo.Export;
using Picollo.Export.Plots;
using Picollo.Metrics;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>Writes what <see cref="HdrPercentilesAttribute"/> measured, for each class: a log with an interval for each benchmark, tagged
/// with its name, and the percentile plot of all, alone and on a page with table and tooltips.</summary>
internal sealed class HistogramExporter : IExporter
{
    public string Name => "Picollo";

    /// <summary>Nothing: the table has the percentiles already.</summary>
    public void ExportToLog(Summary summary, ILogger logger)
    {
    }

    public IEnumerable<string> ExportToFiles(Summary summary, ILogger consoleLogger)
    {
        foreach (IGrouping<string, MeasuredHistogram> ofClass in MeasuredHistogram.Of(summary))
        {
            string path = Path.Combine(summary.ResultsDirectoryPath, $"{ofClass.Key}-percentiles");
            HdrHistogramSeries[] series = [.. ofClass.Select(one => new HdrHistogramSeries(one.Name, one.Histogram))];
            var options = new HdrHistogramPlotOptions { Title = ofClass.Key, Unit = new() { Name = "ns" } };
            (string File, Action<string> Write)[] files =
            [
                ($"{path}.hlog", file => WriteLog(file, summary, ofClass)),
                ($"{path}.svg", file => File.WriteAllText(file, HdrHistogramPlot.CreatePercentiles(series, options).ToSvgDocument())),
                ($"{path}.html", file => WritePage(file, series, options)),
            ];
            foreach ((string file, _) in files.Where(one => IsWritten(one.File, one.Write, consoleLogger)))
            {
                yield return file;
            }
        }
    }

    // The table, and other exporters' files, come after an exporter that throws, and so not at all.
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

    private static void WritePage(string path, HdrHistogramSeries[] series, HdrHistogramPlotOptions options)
    {
        using StreamWriter html = new(path);
        HdrHistogramPlot.WriteReport(html, series, options);
    }

    private static void WriteLog(string path, Summary summary, IEnumerable<MeasuredHistogram> benchmarks)
    {
        using HdrHistogramLogWriter log = new(path);
        log.WriteHeader(benchmarks.Min(one => one.Times.StartTimeUtc), $"{summary.Title}: single invocations in nanoseconds");
        foreach (MeasuredHistogram one in benchmarks)
        {
            log.WriteInterval(one.Histogram, one.Times.StartTimeUtc, one.Times.EndTimeUtc, Tag(one.Name));
        }
    }

    // What separates the fields of a log stands in no tag.
    private static string Tag(string name) =>
        string.Concat(name.Select(c => c is ',' || char.IsWhiteSpace(c) || char.IsControl(c) ? '_' : c));
}

/// <summary>The distribution of a benchmark's single invocations.</summary>
/// <param name="Name">As the table tells the benchmarks of a class apart.</param>
/// <param name="Times">Their times.</param>
/// <param name="Histogram">The same, decoded.</param>
internal sealed record MeasuredHistogram(string Name, InvocationTimes Times, HdrHistogram Histogram)
{
    /// <summary>Those of a summary, by class: the name that files begin with, and the benchmarks in the summary's order.</summary>
    public static IEnumerable<IGrouping<string, MeasuredHistogram>> Of(Summary summary) =>
        from benchmark in summary.BenchmarksCases
        let times = PicolloDiagnoser.ResultOf(benchmark)?.Invocations
        where times is not null
        group (benchmark, times) by benchmark.Descriptor.Type into ofClass
        let hasJobs = ofClass.DistinctBy(one => one.benchmark.Job.ResolvedId).Count() > 1
        from one in ofClass
        group Of(one.benchmark, one.times, hasJobs) by FolderNameHelper.ToFolderName(ofClass.Key);

    private static MeasuredHistogram Of(BenchmarkCase benchmark, InvocationTimes times, bool hasJobs)
    {
        string job = hasJobs ? $" {benchmark.Job.ResolvedId}" : "";
        string parameters = benchmark.HasParameters ? $" {benchmark.Parameters.DisplayInfo}" : "";
        return new(
            $"{benchmark.Descriptor.WorkloadMethodDisplayInfo}{job}{parameters}", times, HdrHistogramEncoding.Decode(times.Nanoseconds));
    }
}
