using System.Buffers;
using System.Globalization;
using Picollo.Export;

namespace Picollo.Benchmarks.Export;

/// <summary><c>compare export</c>: measures an export of 10,000 series in each format, in a minute.</summary>
internal static class ExportComparison
{
    public const string Name = "export";

    private const int Series = 10_000;
    private const int ValuesPerSeries = 1_000;
    private const int Repetitions = 21;
    private const int PointsPerRequest = 1_000;

    public static int Run(TextWriter output)
    {
        MachineInfo.Print(output);
        HdrHistogramRegistry registry = Registry();
        string section = string.Create(CultureInfo.InvariantCulture, $"An export of {Series:N0} histograms, 1 % from 1 µs to 1 h, into memory");
        Dictionary<string, long> bytes = [];
        Repeated text = Exposition("text", PrometheusFormat.Text);
        Row[] rows =
        [
            new(section, text),
            new(section, Exposition("OpenMetrics", PrometheusFormat.OpenMetrics), text),
            new(section, Exposition("protobuf with native and classic histograms", PrometheusFormat.Protobuf), text),
            new(section, Otlp("OTLP, cumulative", usesExponential: false), text),
            new(section, Otlp("OTLP, cumulative, exponential", usesExponential: true), text),
        ];
        TimeReport.Print(output, rows, Interleaver.Measure([.. rows.Select(row => row.Measured)], Repetitions));
        TextTable table = new("Size", "bytes per series");
        foreach ((string name, long length) in bytes)
        {
            table.Add(name, (length / Series).ToString("N0", CultureInfo.InvariantCulture));
        }

        table.Print(output);
        return 0;

        Repeated Exposition(string name, PrometheusFormat format)
        {
            PrometheusWriter writer = new();
            ArrayBufferWriter<byte> written = new(1 << 26);
            return new(name, 1, () =>
            {
                written.ResetWrittenCount();
                writer.WriteHistograms(written, format, registry);
                bytes[name] = written.WrittenCount;
            });
        }

        Repeated Otlp(string name, bool usesExponential)
        {
            OtlpBuckets buckets = new(usesExponential, new Dictionary<string, double[]>());
            OtlpCollector collector = new(() => registry.Registrations, buckets, isDelta: false, TimeProvider.System);
            ProtobufBuffer buffer = new();
            Dictionary<string, string> resource = new() { ["service.name"] = "benchmark" };
            return new(name, 1, () =>
            {
                long length = 0;
                foreach (OtlpPoint[] batch in collector.Collect().Chunk(PointsPerRequest))
                {
                    OtlpRequest.Write(buffer, resource, batch, isDelta: false);
                    length += buffer.Written.Length;
                }

                bytes[name] = length;
            });
        }
    }

    private static HdrHistogramRegistry Registry()
    {
        Random random = new(1);
        HdrHistogramRegistry registry = new();
        for (int i = 0; i < Series; i++)
        {
            HdrHistogram histogram = registry.GetOrAdd(
                "request.duration",
                () => HdrHistogram.Factory.WithRelativeError(0.01).WithMinTrackableValue(1_000).WithMaxTrackableValue(3_600_000_000_000).WithInterlocked().Create(),
                HdrHistogramDescription.Nanoseconds,
                [new("route", $"/orders/{i}")]);
            for (int value = 0; value < ValuesPerSeries; value++)
            {
                histogram.Record((ulong)(1e6 * Math.Exp(3 * random.NextDouble() * random.NextDouble())));
            }
        }

        return registry;
    }
}
