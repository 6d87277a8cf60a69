using System.Text.Json;
using FsCheck;
using FsCheck.Fluent;
using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>JSON serialization of buckets, percentiles, summaries and snapshots with System.Text.Json.</summary>
public class SerializationTests
{
    private static readonly HdrHistogram Histogram = Recorded();

    [Fact]
    public void Serialized_data_round_trips() => Prop.ForAll(
        ArbMap.Default.ArbFor<ulong[]>(),
        ArbMap.Default.ArbFor<byte>(),
        (values, choice) =>
        {
            var factory = HdrHistogram.Factory.WithRelativeError(choice % 2 == 0 ? 0.1 : 0.001).WithLowestDiscernibleValue(1UL << (choice % 5));
            HdrHistogram histogram = (choice % 3 == 0 ? factory.WithMinTrackableValue(100).WithMaxTrackableValue(10_000) : factory).Create();
            histogram.Record(values);
            RoundTrips(histogram.GetSummary());
            RoundTrips(histogram.GetSnapshot());
            foreach (Percentile percentile in histogram.BucketPercentilesWithValues)
            {
                RoundTrips(percentile);
                RoundTrips(percentile.Bucket);
            }

            RoundTrips(histogram.GetBucket(ulong.MaxValue));
            RoundTrips(histogram.GetPercentile(50));
        }).QuickCheckThrowOnFailure();

    [Fact]
    public void The_property_names_are_those_of_Picollo_0_1()
    {
        NamesIn(Histogram.GetBucket(20_000)).Should().Equal("count", "storageIndex", "blockIndex", "blockScale", "indexInBlock");
        NamesIn(Histogram.GetPercentile(50)).Should().Equal("rank", "bucket", "targetCount", "runningCount");
        NamesIn(Histogram.GetSummary()).Should().Contain(
            ["minTrackableValue", "maxTrackableValue", "totalCount", "overflowCount", "mean", "stDev", "percentiles"]);

        static IEnumerable<string> NamesIn<T>(T value) => JsonSerializer.SerializeToElement(value).EnumerateObject().Select(property => property.Name);
    }

    [Fact]
    public void A_summary_of_Picollo_0_1_is_read()
    {
        HdrHistogramSummary summary = Histogram.GetSummary();
        var json = JsonSerializer.SerializeToNode(summary)!.AsObject();
        foreach (string name in new[] { "sum", "relativeError", "timestampUtc" })
        {
            json.Remove(name).Should().BeTrue();
        }

        HdrHistogramSummary read = json.Deserialize<HdrHistogramSummary>()!;
        read.RelativeError.Should().Be(summary.RelativeError);
        read.Sum.Should().BeApproximately(summary.Sum, 1e-6);
        read.Percentiles.ToArray().Should().Equal(summary.Percentiles.ToArray());
        read.ToTable().Should().Be(summary.ToTable());

        json["mean"] = double.MaxValue; // the sum, which is computed from it, would be infinite
        Refuses<HdrHistogramSummary>(json.ToJsonString(), "*sum*must be finite and not negative*");
    }

    [Fact]
    public void Times_are_kept()
    {
        HdrHistogramSnapshot snapshot = Histogram.GetSnapshot();
        HdrHistogramSummary summary = snapshot.GetSummary();

        HdrHistogramSnapshot read = JsonSerializer.Deserialize<HdrHistogramSnapshot>(JsonSerializer.Serialize(snapshot))!;
        (read.StartTime, read.EndTime).Should().Be((snapshot.StartTime, snapshot.EndTime));
        JsonSerializer.Deserialize<HdrHistogramSummary>(JsonSerializer.Serialize(summary))!.TimestampUtc.Should().Be(summary.TimestampUtc);
        RoundTrips(new HdrHistogramSummary());
    }

    [Fact]
    public void A_snapshot_is_written_without_its_empty_buckets()
    {
        string json = JsonSerializer.Serialize(Histogram.GetSnapshot());
        json.Length.Should().BeLessThan(1_000);
        using JsonDocument document = JsonDocument.Parse(json);
        document.RootElement.GetProperty("totalCount").GetUInt64().Should().Be(3);
        document.RootElement.GetProperty("buckets").EnumerateArray()
            .Select(bucket => bucket.GetProperty("count").GetUInt64()).Should().Equal(1, 2);
    }

    [Fact]
    public void A_deserialized_snapshot_cannot_be_updated()
    {
        HdrHistogramSnapshot read = JsonSerializer.Deserialize<HdrHistogramSnapshot>(JsonSerializer.Serialize(Histogram.GetSnapshot()))!;
        read.Invoking(snapshot => snapshot.Update()).Should().Throw<InvalidOperationException>().WithMessage("*JSON*");
        read.GetSnapshot().Should().Be(read);
        read.GetSummary().Should().Be(Histogram.GetSummary());
    }

    [Theory]
    [InlineData("[]", "*could not be converted*Path: $ |*")]
    [InlineData("{}", "*missing required properties*'blockScale'*")]
    [InlineData("""{"count":-1}""", "*could not be converted*Path: $.count |*")]
    [InlineData("""{"count":1,"storageIndex":-2,"blockIndex":1,"blockScale":9,"indexInBlock":5}""", "*storageIndex -2 must be from -1*")]
    [InlineData("""{"count":1,"storageIndex":0,"blockIndex":1,"blockScale":0,"indexInBlock":0}""", "*blockScale must not be 0*")]
    [InlineData("""{"count":1,"storageIndex":0,"blockIndex":1,"blockScale":20,"indexInBlock":0}""", "*no bucket*2?20 buckets*")]
    [InlineData("""{"count":1,"storageIndex":0,"blockIndex":56,"blockScale":9,"indexInBlock":0}""", "*no bucket 0 in block 56*")]
    [InlineData("""{"count":1,"storageIndex":0,"blockIndex":61,"blockScale":3,"indexInBlock":0,"unitScale":4}""", "*no bucket 0 in block 61*")]
    [InlineData("""{"count":1,"storageIndex":0,"blockIndex":1,"blockScale":9,"indexInBlock":512}""", "*no bucket 512 in block 1*")]
    [InlineData("""{"count":1,"storageIndex":600,"blockIndex":1,"blockScale":9,"indexInBlock":5}""", "*storageIndex 600 must be from -1*517*")]
    public void An_invalid_bucket_is_rejected_with_the_reason(string json, string message) => Refuses<Bucket>(json, message);

    [Theory]
    [InlineData("rank", "101", "*rank must be from 0 to 100*")]
    [InlineData("targetCount", "4", "*runningCount must not be less*")]
    [InlineData("runningCount", "0", "*runningCount must not be less*")]
    [InlineData("bucket", "{}", "*'Picollo.Metrics.Bucket' was missing*")]
    [InlineData("bucket", "{\"blockScale\":\"9\"}", "*could not be converted*Path: $.bucket.blockScale |*")]
    public void An_invalid_percentile_is_rejected_with_the_reason(string name, string value, string message) =>
        Refuses<Percentile>(With(Histogram.GetPercentile(50), name, value), message);

    [Theory]
    [InlineData("totalCount", "4", "*totalCount is not*")]
    [InlineData("mean", null, "*missing required properties*'mean'*")]
    [InlineData("mean", "-1", "*mean*must be finite and not negative*")]
    [InlineData("sum", "-1", "*sum*must be finite and not negative*")]
    [InlineData("stDev", "-1", "*stDev*must be finite and not negative*")]
    [InlineData("relativeError", "0.0625", "*relativeError does not match the buckets*")]
    [InlineData("minTrackableValue", "50000", "*not between minTrackableValue and maxTrackableValue*")]
    [InlineData("maxTrackableValue", "5", "*not between minTrackableValue and maxTrackableValue*")]
    [InlineData("percentiles", null, "*'Picollo.Metrics.HdrHistogramSummary' was missing required properties*'percentiles'*")]
    [InlineData("percentiles", "[]", "*0 of the 16*")]
    [InlineData("percentiles", "[null]", "*could not be converted*Path: $.percentiles[0] |*")]
    public void An_invalid_summary_is_rejected_with_the_reason(string name, string? value, string message) =>
        Refuses<HdrHistogramSummary>(With(Histogram.GetSummary(), name, value), message);

    [Fact]
    public void Times_with_an_offset_are_read_as_UTC()
    {
        const string Time = "\"2026-01-01T02:00:00+02:00\"";
        DateTime utc = new(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        HdrHistogramSnapshot snapshot = JsonSerializer.Deserialize<HdrHistogramSnapshot>(With(Histogram.GetSnapshot(), "startTime", Time))!;
        HdrHistogramSummary summary = JsonSerializer.Deserialize<HdrHistogramSummary>(With(Histogram.GetSummary(), "timestampUtc", Time))!;

        (snapshot.StartTime.Offset, snapshot.StartTime.UtcDateTime).Should().Be((TimeSpan.Zero, utc));
        (summary.TimestampUtc.Kind, summary.TimestampUtc).Should().Be((DateTimeKind.Utc, utc));
    }

    [Fact]
    public void A_snapshot_is_checked_before_its_layout_is_allocated()
    {
        HdrHistogram finest = HdrHistogram.Factory.WithRelativeError(0.000001).Create();
        finest.Record(1);
        string json = JsonSerializer.Serialize(finest.GetSnapshot()).Replace("\"totalCount\":1", "\"totalCount\":2", StringComparison.Ordinal);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Refuses<HdrHistogramSnapshot>(json, "*totalCount is not equal to the sum*");
        (GC.GetAllocatedBytesForCurrentThread() - before).Should().BeLessThan(1_000_000);
    }

    [Fact]
    public void Inconsistent_percentiles_are_rejected()
    {
        HdrHistogramSummary summary = Histogram.GetSummary(); // of 1, 20,000 and 20,000
        Refuses<HdrHistogramSummary>(Changed(percentiles => percentiles[0]!["bucket"] = percentiles[15]!["bucket"]!.DeepClone()), "*");
        Refuses<HdrHistogramSummary>(Changed(percentiles => percentiles[15]!["targetCount"] = 1), "*");
        Refuses<HdrHistogramSummary>(Changed(percentiles => percentiles[8]!["bucket"]!["storageIndex"] = 5), "*is inconsistent with*");
        Refuses<HdrHistogramSummary>(Changed(percentiles => percentiles[8]!["targetCount"] = 0), "*is inconsistent with*");

        // Change the range of all percentiles of the larger value.
        Refuses<HdrHistogramSummary>(
            Changed(percentiles =>
            {
                foreach (var bucket in percentiles.Select(percentile => percentile!["bucket"]!).Where(bucket => (int)bucket["storageIndex"]! > 1))
                {
                    bucket["storageIndex"] = (int)bucket["storageIndex"]! - 1;
                }
            }),
            "*is inconsistent with*");

        string Changed(Action<System.Text.Json.Nodes.JsonArray> change)
        {
            var node = JsonSerializer.SerializeToNode(summary)!.AsObject();
            change(node["percentiles"]!.AsArray());
            return node.ToJsonString();
        }
    }

    [Fact]
    public void A_snapshot_whose_total_wraps_is_read_again()
    {
        HdrHistogram histogram = HdrHistogram.Create();
        histogram.Record(1, ulong.MaxValue);
        histogram.Record(1_000, 5);

        var read = JsonSerializer.Deserialize<HdrHistogramSnapshot>(JsonSerializer.Serialize(histogram.GetSnapshot()))!;

        (read.TotalCount, read.GetBucket(1).Count, read.GetBucket(1_000).Count).Should().Be((4, ulong.MaxValue, 5));
    }

    [Fact]
    public void Buckets_of_a_snapshot_are_in_order_and_not_empty()
    {
        var node = JsonSerializer.SerializeToNode(Histogram.GetSnapshot())!.AsObject();
        var buckets = node["buckets"]!.AsArray();
        buckets.Add(buckets[0]!.DeepClone());
        Refuses<HdrHistogramSnapshot>(node.ToJsonString(), "*not in ascending order*");
        buckets.RemoveAt(2);
        buckets[1]!["count"] = 0;
        Refuses<HdrHistogramSnapshot>(node.ToJsonString(), "*is empty*");
    }

    [Theory]
    [InlineData("totalCount", "4", "*totalCount is not equal to the sum*")]
    [InlineData("relativeError", "0.2", "*0.000001 to 0.1*")]
    [InlineData("relativeError", "0.01", "*does not belong to the snapshot's layout*")]
    [InlineData("relativeError", null, "*missing required properties*'relativeError'*")]
    [InlineData("buckets", null, "*missing required properties*'buckets'*")]
    [InlineData("maxTrackableValue", "0", "*range is empty*")]
    [InlineData("maxTrackableValue", "5", "*does not belong to the snapshot's layout and range*")]
    [InlineData("lowestDiscernibleValue", "0", "*lowestDiscernibleValue*|*value*")]
    [InlineData("underflowCount", "1", "*underflowCount must not be greater*")]
    [InlineData("buckets", "null", "*buckets*null*")]
    public void An_invalid_snapshot_is_rejected_with_the_reason(string name, string? value, string message) =>
        Refuses<HdrHistogramSnapshot>(With(Histogram.GetSnapshot(), name, value), message.Split('|')[^1]);

    private static string With<T>(T value, string name, string? json)
    {
        var node = JsonSerializer.SerializeToNode(value)!.AsObject();
        node.Remove(name).Should().BeTrue();
        if (json != null)
        {
            node[name] = System.Text.Json.Nodes.JsonNode.Parse(json);
        }

        return node.ToJsonString();
    }

    private static void Refuses<T>(string json, string message) =>
        json.Invoking(text => JsonSerializer.Deserialize<T>(text)).Should().Throw<JsonException>().WithMessage(message);

    private static void RoundTrips<T>(T value) => JsonSerializer.Deserialize<T>(JsonSerializer.Serialize(value)).Should().Be(value);

    private static PlainHdrHistogram<uint> Recorded()
    {
        var histogram = HdrHistogram.Create();
        histogram.Record([1, 20_000, 20_000]);
        return histogram;
    }
}
