using System.Diagnostics.Metrics;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using Picollo.Export;
using Picollo.Export.Tests;
using Picollo.Metrics;

namespace Picollo.Peers.Tests.OpenTelemetry;

/// <summary>Compares data points with those of the exporter of the OpenTelemetry SDK for the same values.</summary>
public class SdkTests
{
    private static readonly KeyValuePair<string, object?> Tag = new("queue", "orders");

    [Theory]
    [InlineData(false, false)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task Data_points_equal_those_of_the_SDK(bool isDelta, bool isExponential)
    {
        double[] bounds = [0, 1, 10, 100, 1_000, 10_000];
        await using OtlpReceiver sdk = await OtlpReceiver.StartAsync();
        await using OtlpReceiver own = await OtlpReceiver.StartAsync();
        using Meter meter = new("SdkTests");
        Histogram<long> instrument = meter.CreateHistogram<long>("work.size", "By", "Size of the work.");
        using MeterProvider provider = Sdk.CreateMeterProviderBuilder()
            .AddMeter(meter.Name)
            .AddView(instrument.Name, isExponential
                ? new Base2ExponentialBucketHistogramConfiguration { MaxScale = 5, MaxSize = 1_000 }
                : new ExplicitBucketHistogramConfiguration { Boundaries = bounds })
            .AddOtlpExporter((exporter, reader) =>
            {
                exporter.Endpoint = sdk.Endpoint;
                exporter.Protocol = OtlpExportProtocol.HttpProtobuf;
                reader.TemporalityPreference =
                    isDelta ? MetricReaderTemporalityPreference.Delta : MetricReaderTemporalityPreference.Cumulative;
            })
            .Build();
        HdrHistogramRegistry registry = new();
        HdrHistogram histogram = registry.GetOrAdd(
            "work.size", () => HdrHistogram.Factory.WithSignificantDigits(4).Create(), new() { Help = "Size of the work.", Unit = new() { Name = "bytes" } }, [new("queue", "orders")]);
        await using OtlpExporter exporter = OtlpExporter.Start(registry, new()
        {
            Endpoint = own.Endpoint,
            UseDeltaTemporality = isDelta,
            UseExponentialHistograms = isExponential,
            ExplicitBounds = { ["work.size"] = bounds },
        });
        Random random = new(1);
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < 1_000; i++)
            {
                long value = random.Next(1 << random.Next(15)); // below 2^14, each value has its own bucket
                instrument.Record(value, Tag);
                histogram.Record((ulong)value);
            }

            provider.ForceFlush().Should().BeTrue();
            (await exporter.FlushAsync()).Should().BeTrue();
        }

        OtlpDataPoint[] expected = [.. sdk.Points];
        OtlpDataPoint[] actual = [.. own.Points];
        actual.Should().HaveCount(3);
        foreach ((OtlpDataPoint one, OtlpDataPoint other) in expected.Zip(actual))
        {
            (other.Metric, other.Description, other.Unit, other.Temporality).Should().Be((one.Metric, one.Description, one.Unit, one.Temporality));
            other.Attributes.Should().Equal(one.Attributes);
            (other.Count, other.ZeroCount, other.Scale, other.Sum).Should().Be((one.Count, one.ZeroCount, one.Scale, one.Sum));
            other.Buckets.Should().Equal(one.Buckets);
            (other.Bounds is null).Should().Be(isExponential);
            (other.Bounds ?? []).Should().Equal(one.Bounds ?? []);
            if (!isDelta)
            {
                (other.Min, other.Max).Should().Be((one.Min, one.Max));
            }
        }

        // In both, deltas are consecutive, and cumulative points have the same start.
        Starts(actual).Should().Equal(Starts(expected));
        static bool[] Starts(OtlpDataPoint[] points) => [.. points.Skip(1).Zip(points).Select(pair => pair.First.StartTime == pair.Second.Time)];
    }
}
