using System.Text.Json;
using System.Text.Json.Serialization;

namespace Picollo.Metrics;

/// <summary>Reads and writes a <see cref="Bucket"/>: <c>count</c>, <c>storageIndex</c>, <c>blockIndex</c>, <c>blockScale</c>,
/// <c>indexInBlock</c>, and <c>unitScale</c> (the base-2 logarithm of the lowest discernible value) unless it is 0.</summary>
internal sealed class BucketJsonConverter : JsonConverter<Bucket>
{
    /// <inheritdoc/>
    public override Bucket Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => Read(ref reader);

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, Bucket value, JsonSerializerOptions options) => Write(writer, value);

    internal static Bucket Read(ref Utf8JsonReader reader)
    {
        const int MaxBlockScale = 19;
        ulong? count = null;
        int? storageIndex = null, blockIndex = null, blockScale = null, indexInBlock = null;
        int unitScale = 0;
        JsonValues.BeginObject(ref reader, "A bucket");
        while (JsonValues.NextProperty(ref reader, out string name))
        {
            switch (name)
            {
                case "count":
                    count = JsonValues.UInt64(ref reader, name);
                    break;
                case "storageIndex":
                    storageIndex = JsonValues.Int32(ref reader, name, Bucket.OutOfRangeIndex, int.MaxValue);
                    break;
                case "blockIndex":
                    blockIndex = JsonValues.Int32(ref reader, name, 0, 64);
                    break;
                case "blockScale":
                    blockScale = JsonValues.Int32(ref reader, name, 0, MaxBlockScale);
                    break;
                case "indexInBlock":
                    indexInBlock = JsonValues.Int32(ref reader, name, 0, (1 << MaxBlockScale) - 1);
                    break;
                case "unitScale":
                    unitScale = JsonValues.Int32(ref reader, name, 0, HdrLayout.MaxUnitAndBlockScale);
                    break;
                default:
                    reader.Skip();
                    break;
            }
        }

        (int scale, int block, int index) = (
            JsonValues.Required(blockScale, nameof(blockScale)),
            JsonValues.Required(blockIndex, nameof(blockIndex)),
            JsonValues.Required(indexInBlock, nameof(indexInBlock)));
        ulong bucketCount = JsonValues.Required(count, nameof(count));
        int place = JsonValues.Required(storageIndex, nameof(storageIndex));
        if (scale == 0)
        {
            return (block, index, unitScale, bucketCount) is (0, 0, 0, 0)
                ? default // the bucket of an empty histogram
                : throw new JsonException("blockScale must not be 0.");
        }

        if (scale + unitScale > HdrLayout.MaxUnitAndBlockScale || block + scale + unitScale > 64 || index >= 1 << scale)
        {
            throw new JsonException($"There is no bucket {index} in block {block} of 2^{scale} buckets with a unit of 2^{unitScale}.");
        }

        var layout = new HdrLayout(0.5 / (1 << scale), unitScale);
        uint logicalIndex = ((uint)block << scale) + (uint)index;
        return place <= logicalIndex
            ? new Bucket(layout, layout.Origin + logicalIndex, bucketCount, place)
            : throw new JsonException($"storageIndex {place} must not be greater than the bucket's index in the layout, {logicalIndex}.");
    }

    internal static void Write(Utf8JsonWriter writer, Bucket value)
    {
        (int blockScale, int unitScale) = (value.Layout.BlockScale, value.Layout.UnitScale);
        writer.WriteStartObject();
        writer.WriteNumber("count", value.Count);
        writer.WriteNumber("storageIndex", value.StorageIndex);
        writer.WriteNumber("blockIndex", value.LogicalIndex >> blockScale);
        writer.WriteNumber("blockScale", blockScale);
        writer.WriteNumber("indexInBlock", value.LogicalIndex & (value.Layout.BlockSize - 1));
        if (unitScale != 0)
        {
            writer.WriteNumber("unitScale", unitScale);
        }

        writer.WriteEndObject();
    }
}

/// <summary>Reads and writes a <see cref="Percentile"/>: <c>rank</c>, <c>bucket</c>, <c>targetCount</c>, <c>runningCount</c>.</summary>
internal sealed class PercentileJsonConverter : JsonConverter<Percentile>
{
    /// <inheritdoc/>
    public override Percentile Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) => Read(ref reader);

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, Percentile value, JsonSerializerOptions options) => Write(writer, value);

    internal static Percentile Read(ref Utf8JsonReader reader)
    {
        double? rank = null;
        Bucket? bucket = null;
        ulong? targetCount = null, runningCount = null;
        JsonValues.BeginObject(ref reader, "A percentile");
        while (JsonValues.NextProperty(ref reader, out string name))
        {
            switch (name)
            {
                case "rank":
                    rank = JsonValues.Double(ref reader, name);
                    break;
                case "bucket":
                    bucket = BucketJsonConverter.Read(ref reader);
                    break;
                case "targetCount":
                    targetCount = JsonValues.UInt64(ref reader, name);
                    break;
                case "runningCount":
                    runningCount = JsonValues.UInt64(ref reader, name);
                    break;
                default:
                    reader.Skip();
                    break;
            }
        }

        var percentile = new Percentile(
            JsonValues.Required(rank, nameof(rank)),
            JsonValues.Required(targetCount, nameof(targetCount)),
            JsonValues.Required(runningCount, nameof(runningCount)),
            JsonValues.Required(bucket, nameof(bucket)),
            Percentile.DefaultEquivalentValueSelection);
        return percentile.Rank is not (>= 0 and <= PercentileRank.Max) ? throw new JsonException("rank must be from 0 to 100.")
            : percentile.TargetCount > percentile.RunningCount || percentile.Bucket.Count > percentile.RunningCount
                ? throw new JsonException("runningCount must not be less than targetCount or the bucket's count.")
            : percentile;
    }

    internal static void Write(Utf8JsonWriter writer, Percentile value)
    {
        writer.WriteStartObject();
        writer.WriteNumber("rank", value.Rank);
        writer.WritePropertyName("bucket");
        BucketJsonConverter.Write(writer, value.Bucket);
        writer.WriteNumber("targetCount", value.TargetCount);
        writer.WriteNumber("runningCount", value.RunningCount);
        writer.WriteEndObject();
    }
}
