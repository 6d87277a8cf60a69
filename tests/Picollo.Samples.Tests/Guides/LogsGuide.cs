using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/logs-and-interchange.md.</summary>
internal static class LogsGuide
{
    public static async Task FirstAsync()
    {
        var latency = HdrHistogram.Factory.WithSignificantDigits(3).WithThreadLocal().Create();

        await using (var recorder = HdrHistogramLogRecorder.Start("latency.hlog", TimeSpan.FromSeconds(1)))
        {
            recorder.Add(latency);
            await ServeAsync(latency);                                // records into the histogram
        }

        using var log = new HdrHistogramLogReader("latency.hlog");
        foreach (HdrHistogramLogInterval interval in log.ReadAll())
        {
            Console.WriteLine($"{interval.StartTime:T} {interval.Histogram.GetPercentileValue(99.9):N0}");
        }

        static async Task ServeAsync(HdrHistogram latency)
        {
            for (int request = 0; request < 300; request++)
            {
                using (latency.GetNanoScope())
                {
                    await Task.Delay(10);
                }
            }
        }
    }

    public static async Task RecordingAsync(string path, HdrHistogram latency, HdrHistogram queueing, Action use)
    {
        var options = new HdrHistogramLogRecorderOptions
        {
            MaxFileBytes = 100_000_000,
            RollDaily = true,
            OnError = Console.Error.WriteLine,
        };
        await using var recorder = HdrHistogramLogRecorder.Start(path, TimeSpan.FromSeconds(1), options);
        recorder.Add(latency);
        recorder.Add(queueing, tag: "queueing");

        use();
    }

    public static HdrHistogram? Merging(string path)
    {
        var merger = new HdrHistogramMerger();
        using (var log = new HdrHistogramLogReader(path))
        {
            foreach (HdrHistogramLogInterval interval in log.ReadAll().Where(interval => interval.Tag == "queueing"))
            {
                merger.Add(interval.Histogram);
            }
        }

        if (merger.ToHistogram() is { } all)                          // null if nothing was added
        {
            PercentileDistribution.Write(all, Console.Out, valueUnitRatio: 1000);  // .hgrm; nanoseconds are printed as microseconds
        }

        return merger.ToHistogram();
    }

    public static HdrHistogram? Damaged(string path)
    {
        var merger = new HdrHistogramMerger();
        using var damaged = new HdrHistogramLogReader(path);
        while (true)
        {
            try
            {
                if (damaged.Read() is not { } interval)
                {
                    break;
                }

                merger.Add(interval.Histogram);
            }
            catch (FormatException e)
            {
                Console.Error.WriteLine(e.Message);
            }
        }

        return merger.ToHistogram();
    }

    public static void ByHand(string path, HdrHistogram histogram, DateTimeOffset start, DateTimeOffset end)
    {
        byte[] encoded = HdrHistogramEncoding.EncodeCompressed(histogram);        // V2, compressed
        PlainHdrHistogram<ulong> decoded = HdrHistogramEncoding.Decode(encoded);

        using (var log = new HdrHistogramLogWriter(path))
        {
            log.WriteHeader(start);
            log.WriteInterval(decoded, start, end, tag: "converted");
        }
    }
}
