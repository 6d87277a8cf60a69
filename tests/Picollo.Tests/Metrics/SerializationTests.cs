using System.Text.Json;
using System.Text.Json.Serialization;
using System.Text.Json.Serialization.Metadata;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>What System.Text.Json makes of the types that hold what was read.</summary>
public class SerializationTests
{
    private static readonly HdrHistogram Histogram = Recorded();

    [Fact]
    public void What_cannot_be_read_back_is_refused()
    {
        Refuses(Histogram.GetSummary());
        Refuses(Histogram.GetPercentile(50));
        Refuses(Histogram.GetBucket(20_000));
        Refuses(Histogram.GetSnapshot());
    }

    [Fact]
    public void Generated_code_reads_nothing_back_either()
    {
        Refuses(Histogram.GetSummary(), ReadingJson.Default.HdrHistogramSummary);
        Refuses(Histogram.GetPercentile(50), ReadingJson.Default.Percentile);
        Refuses(Histogram.GetBucket(20_000), ReadingJson.Default.Bucket);
        Refuses(Histogram.GetSnapshot(), ReadingJson.Default.HdrHistogramSnapshot);

        static void Refuses<T>(T value, JsonTypeInfo<T> type)
        {
            string json = JsonSerializer.Serialize(value, type);
            json.Should().StartWith("{");
            json.Invoking(text => JsonSerializer.Deserialize(text, type)).Should().Throw<NotSupportedException>("{0} has no reader", typeof(T));
        }
    }

    [Fact]
    public void A_snapshot_is_written_without_its_empty_buckets()
    {
        string json = JsonSerializer.Serialize(Histogram.GetSnapshot());
        json.Length.Should().BeLessThan(2_000);
        using JsonDocument document = JsonDocument.Parse(json);
        document.RootElement.GetProperty("TotalCount").GetUInt64().Should().Be(3);
        document.RootElement.GetProperty("BucketsWithValues").EnumerateArray()
            .Select(bucket => bucket.GetProperty("Count").GetUInt64()).Should().Equal(1, 2);
    }

    private static void Refuses<T>(T value)
    {
        string json = JsonSerializer.Serialize(value);
        json.Should().StartWith("{");
        json.Invoking(text => JsonSerializer.Deserialize<T>(text)).Should().Throw<NotSupportedException>("{0} has no reader", typeof(T));
    }

    private static PlainHdrHistogram<uint> Recorded()
    {
        var histogram = HdrHistogram.Create();
        histogram.Record([1, 20_000, 20_000]);
        return histogram;
    }
}

[JsonSerializable(typeof(HdrHistogramSummary))]
[JsonSerializable(typeof(Percentile))]
[JsonSerializable(typeof(Bucket))]
[JsonSerializable(typeof(HdrHistogramSnapshot))]
internal sealed partial class ReadingJson : JsonSerializerContext;
