using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using Picollo.Metrics.Export;

namespace Picollo.BenchmarkDotNet.Reports;

/// <summary>Writes what <see cref="HdrPercentilesAttribute"/> measured, for each class: a log with an interval for each benchmark, tagged with
/// its name, and the percentile plot of all, alone and on a page with table and tooltips.</summary>
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
            var options = new HdrHistogramPlotOptions { Title = ofClass.Key, Unit = "ns" };
            yield return Write($"{path}.hlog", file => WriteLog(file, summary, ofClass));
            yield return Write($"{path}.svg", file => File.WriteAllText(file, HdrHistogramPlot.OfPercentiles(series, options).Document));
            yield return Write($"{path}.html", file =>
            {
                using StreamWriter html = new(file);
                HdrHistogramReport.Write(html, series, options);
            });
        }
    }

    private static string Write(string path, Action<string> write)
    {
        write(path);
        return path;
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
    private static string Tag(string name) => string.Concat(name.Select(c => c is ',' || char.IsWhiteSpace(c) || char.IsControl(c) ? '_' : c));
}
