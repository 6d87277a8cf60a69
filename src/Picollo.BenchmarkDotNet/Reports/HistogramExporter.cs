using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Reports;
using Picollo.Export;
using Picollo.Export.Plots;

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
            var options = new HdrHistogramPlotOptions { Title = ofClass.Key, Unit = "ns" };
            (string Ending, Action<string> Write)[] files =
            [
                ("hlog", file => WriteLog(file, summary, ofClass)),
                ("svg", file => File.WriteAllText(file, HdrHistogramPlot.OfPercentiles(series, options).Document)),
                ("html", file => WritePage(file, series, options)),
            ];
            foreach ((string ending, Action<string> write) in files)
            {
                string file = $"{path}.{ending}";
                if (IsWritten(file, write, consoleLogger))
                {
                    yield return file;
                }
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
        HdrHistogramReport.Write(html, series, options);
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
