using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Picollo.Metrics;

/// <summary>A bucket in JSON. <paramref name="UnitScale"/> is the base-2 logarithm of the lowest discernible value.</summary>
internal readonly record struct BucketJson(
    [property: JsonRequired] ulong Count,
    [property: JsonRequired] int StorageIndex,
    [property: JsonRequired] int BlockIndex,
    [property: JsonRequired] int BlockScale,
    [property: JsonRequired] int IndexInBlock,
    [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingDefault)] int UnitScale) : IJsonRecord<Bucket, BucketJson>
{
    private const int MaxBlockScale = 19;

    public static JsonTypeInfo<BucketJson> TypeInfo => ReadingJson.Default.BucketJson;

    public static BucketJson FromValue(Bucket value) => new(
        value.Count,
        value.StorageIndex,
        value.LogicalIndex >> value.Layout.BlockScale,
        value.Layout.BlockScale,
        value.LogicalIndex & (value.Layout.BlockSize - 1),
        value.Layout.UnitScale);

    public Bucket ToValue()
    {
        if (BlockScale == 0)
        {
            return (Count, BlockIndex, IndexInBlock, UnitScale) is (0, 0, 0, 0)
                ? default // the bucket of an empty histogram
                : throw new JsonException("blockScale must not be 0.");
        }

        if (BlockScale is not (> 0 and <= MaxBlockScale) || UnitScale is not (>= 0 and <= HdrHistogramLayout.MaxUnitAndBlockScale)
            || BlockScale + UnitScale > HdrHistogramLayout.MaxUnitAndBlockScale
            || BlockIndex < 0 || BlockIndex > 64 - BlockScale - UnitScale || IndexInBlock < 0 || IndexInBlock >= 1 << BlockScale)
        {
            throw new JsonException(
                $"There is no bucket {IndexInBlock} in block {BlockIndex} of 2^{BlockScale} buckets with a unit of 2^{UnitScale}.");
        }

        HdrHistogramLayout layout = new(0.5 / (1 << BlockScale), 1UL << UnitScale);
        int index = (BlockIndex << BlockScale) + IndexInBlock;
        return StorageIndex >= Bucket.OutOfRangeIndex && StorageIndex <= index
            ? new Bucket(layout, layout.Origin + (uint)index, Count, StorageIndex)
            : throw new JsonException($"storageIndex {StorageIndex} must be from -1 to the bucket's index in the layout, {index}.");
    }
}

internal readonly record struct PercentileJson(
    [property: JsonRequired] double Rank,
    [property: JsonRequired] BucketJson Bucket,
    [property: JsonRequired] ulong TargetCount,
    [property: JsonRequired] ulong RunningCount) : IJsonRecord<Percentile, PercentileJson>
{
    public static JsonTypeInfo<PercentileJson> TypeInfo => ReadingJson.Default.PercentileJson;

    public static PercentileJson FromValue(Percentile value) =>
        new(value.Rank, BucketJson.FromValue(value.Bucket), value.TargetCount, value.RunningCount);

    public Percentile ToValue() =>
        Rank is not (>= 0 and <= PercentileRank.Max) ? throw new JsonException("rank must be from 0 to 100.")
        : TargetCount > RunningCount || Bucket.Count > RunningCount
            ? throw new JsonException("runningCount must not be less than targetCount or the bucket's count.")
        : new Percentile(Rank, TargetCount, RunningCount, Bucket.ToValue(), Percentile.DefaultEquivalentValueSelection);
}

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true)]
[JsonSerializable(typeof(BucketJson))]
[JsonSerializable(typeof(PercentileJson))]
[JsonSerializable(typeof(HdrHistogramSummary.Json))]
internal sealed partial class ReadingJson : JsonSerializerContext;

internal sealed class BucketJsonConverter : JsonRecordConverter<Bucket, BucketJson>;

internal sealed class PercentileJsonConverter : JsonRecordConverter<Percentile, PercentileJson>;
