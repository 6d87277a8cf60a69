using System.Buffers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Picollo.Export;
using Picollo.Metrics;
using Picollo.Timing;

namespace AotApp;

/// <summary>Uses each kind of histogram, and writes histograms in every format.</summary>
internal static class Histograms
{
    public static void Run()
    {
        Facts.Print("cycle-counter", CycleClock.IsCycleCounter);
        Facts.Print("cycle-clock-status", CycleClock.UnavailableReason);
        HdrHistogramFactory factory = HdrHistogram.Factory.WithSignificantDigits(3);
        using HdrHistogram histogram = factory.WithUInt64Storage().Create();
        HdrHistogram[] all =
        [
            histogram,
            factory.Create(),
            factory.WithInterlocked().Create(),
            factory.WithInterlocked().WithUInt64Storage().Create(),
            factory.WithThreadLocal().Create(),
            factory.WithThreadLocal().WithUInt64Storage().Create(),
        ];
        ulong[] batch = [.. Enumerable.Range(1, 1000).Select(value => (ulong)value)];
        foreach (HdrHistogram one in all)
        {
            one.Record(batch);
        }

        Facts.Print("p99", string.Join(' ', all.Select(one => one.GetPercentileValue(99))));

        HdrHistogramSummary summary = histogram.GetSummary();
        string json = JsonSerializer.Serialize(summary, HistogramJson.Default.HdrHistogramSummary);
        Facts.Print("json-summary", JsonSerializer.Deserialize(json, HistogramJson.Default.HdrHistogramSummary)!.P99.Value);
        json = JsonSerializer.Serialize(histogram.GetSnapshot(), HistogramJson.Default.HdrHistogramSnapshot);
        Facts.Print("json-snapshot", JsonSerializer.Deserialize(json, HistogramJson.Default.HdrHistogramSnapshot)!.GetPercentileValue(99));

        Facts.Print("encoded", HdrHistogramEncoding.Decode(HdrHistogramEncoding.EncodeCompressed(histogram)).TotalCount);
        Facts.Print("logged", CountInLog(histogram));
        using StringWriter distribution = new();
        PercentileDistribution.Write(histogram, distribution);
        Facts.Print("distribution", distribution.ToString().Contains("Total count    =         1000]"));

        HdrHistogramRegistry registry = new();
        registry.Add("latency", histogram, [new("host", "a")]);
        foreach (PrometheusFormat format in Enum.GetValues<PrometheusFormat>())
        {
            ArrayBufferWriter<byte> exposition = new();
            new PrometheusWriter().WriteHistograms(exposition, format, registry);
            PrometheusWriter.WriteEnd(exposition, format);
            Facts.Print($"prometheus-{format}", Encoding.Latin1.GetString(exposition.WrittenSpan).Contains("latency"));
        }

        using StringWriter report = new();
        HdrHistogramPlot.WriteReport(report, [new("1 to 1000", histogram)]);
        Facts.Print("report", report.ToString().Contains("1 to 1000") && report.ToString().Contains("</svg>"));
    }

    private static ulong CountInLog(HdrHistogram histogram)
    {
        using MemoryStream log = new();
        using (HdrHistogramLogWriter writer = new(log, leaveOpen: true))
        {
            writer.WriteHeader(DateTimeOffset.UnixEpoch);
            writer.WriteInterval(histogram, DateTimeOffset.UnixEpoch, DateTimeOffset.UnixEpoch.AddSeconds(1));
        }

        log.Position = 0;
        using HdrHistogramLogReader reader = new(log);
        return reader.Read()!.Histogram.TotalCount;
    }
}

/// <summary>The context of a trimmed application. The types name their converter, so it contains no metadata of their properties.</summary>
[JsonSerializable(typeof(HdrHistogramSummary))]
[JsonSerializable(typeof(HdrHistogramSnapshot))]
internal sealed partial class HistogramJson : JsonSerializerContext;
