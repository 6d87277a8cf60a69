using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.HelperApp;

internal static class LogRecording
{
    /// <summary>Writes an interval log with about one line per millisecond until the process is killed. Lines have several kilobytes, so
    /// they span more than a page.</summary>
    public static async Task Run(string path)
    {
        var histogram = HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(1_000_000).Create();
        var options = new HdrHistogramLogRecorderOptions
        {
            MaxFileBytes = 50_000,
            FilesKept = 5,
            OnError = error => Console.WriteLine(error),
        };
        await using var recorder = HdrHistogramLogRecorder.Start(path, TimeSpan.FromMilliseconds(1), options);
        recorder.Add(histogram);
        recorder.Add(histogram, "tag");
        Console.WriteLine("recording");
        for (ulong value = 1; ; value = (value % 1_000_000) + 1)
        {
            histogram.Record(value, value % 7);
        }
    }
}
