using System.Text.Json;
using System.Text.Json.Serialization;

namespace Picollo.Metrics;

/// <content>Equality and JSON serialization.</content>
public sealed partial class HdrHistogramSummary : IEquatable<HdrHistogramSummary>
{
    /// <summary>Compares all values with those of another summary. The time of the read is ignored.</summary>
    /// <param name="other">The summary to compare with.</param>
    /// <returns><see langword="true"/> if all are equal; otherwise, <see langword="false"/>.</returns>
    public bool Equals(HdrHistogramSummary? other) => other is not null
        && TotalCount == other.TotalCount
        && OverflowCount == other.OverflowCount
        && Sum.Equals(other.Sum)
        && Mean.Equals(other.Mean)
        && StDev.Equals(other.StDev)
        && RelativeError.Equals(other.RelativeError)
        && MinTrackableValue == other.MinTrackableValue
        && MaxTrackableValue == other.MaxTrackableValue
        && Percentiles.SequenceEqual(other.Percentiles);

    /// <inheritdoc cref="Equals(HdrHistogramSummary)"/>
    /// <param name="obj">The object to compare with.</param>
    public override bool Equals(object? obj) => Equals(obj as HdrHistogramSummary);

    /// <summary>Returns a hash code that is consistent with <see cref="Equals(HdrHistogramSummary)"/>. It changes when the summary is
    /// filled again.</summary>
    /// <returns>The hash code.</returns>
    public override int GetHashCode() => HashCode.Combine(TotalCount, OverflowCount, Sum, StDev);

    internal static HdrHistogramSummary Read(ref Utf8JsonReader reader)
    {
        var summary = new HdrHistogramSummary
        {
            MaxTrackableValue = ulong.MaxValue,
            _selection = Percentile.DefaultEquivalentValueSelection,
        };
        ulong? totalCount = null;
        double? mean = null, sum = null;
        int? percentiles = null;
        JsonValues.BeginObject(ref reader, "A summary");
        while (JsonValues.NextProperty(ref reader, out string name))
        {
            switch (name)
            {
                case "minTrackableValue":
                    summary.MinTrackableValue = JsonValues.UInt64(ref reader, name);
                    break;
                case "maxTrackableValue":
                    summary.MaxTrackableValue = JsonValues.UInt64(ref reader, name);
                    break;
                case "totalCount":
                    totalCount = JsonValues.UInt64(ref reader, name);
                    break;
                case "overflowCount":
                    summary.OverflowCount = JsonValues.UInt64(ref reader, name);
                    break;
                case "sum":
                    sum = JsonValues.NonNegative(ref reader, name);
                    break;
                case "mean":
                    mean = JsonValues.NonNegative(ref reader, name);
                    break;
                case "stDev":
                    summary.StDev = JsonValues.NonNegative(ref reader, name);
                    break;
                case "relativeError":
                    summary.RelativeError = JsonValues.NonNegative(ref reader, name);
                    break;
                case "timestampUtc":
                    summary.TimestampUtc = JsonValues.Time(ref reader, name).UtcDateTime;
                    break;
                case "percentiles":
                    percentiles = summary.ReadPercentiles(ref reader);
                    break;
                default:
                    reader.Skip();
                    break;
            }
        }

        if (JsonValues.Required(percentiles, nameof(percentiles)) != StandardRanks.Length)
        {
            throw new JsonException($"percentiles contains {percentiles} of the {StandardRanks.Length} standard ranks.");
        }

        summary.TotalCount = JsonValues.Required(totalCount, nameof(totalCount));
        summary.Mean = JsonValues.Required(mean, nameof(mean));
        summary.Sum = sum ?? (summary.Mean * summary.TotalCount); // Picollo v0.1 does not write the sum
        if (summary._found[^1].RunningCount != summary.TotalCount)
        {
            throw new JsonException("totalCount is not equal to the runningCount of the last percentile.");
        }

        summary.ThrowUnlessLayoutFits();

        return summary;
    }

    internal void Write(Utf8JsonWriter writer)
    {
        writer.WriteStartObject();
        writer.WriteNumber("minTrackableValue", MinTrackableValue);
        writer.WriteNumber("maxTrackableValue", MaxTrackableValue);
        writer.WriteNumber("relativeError", RelativeError);
        writer.WriteNumber("totalCount", TotalCount);
        writer.WriteNumber("overflowCount", OverflowCount);
        writer.WriteNumber("sum", Sum);
        writer.WriteNumber("mean", Mean);
        writer.WriteNumber("stDev", StDev);
        writer.WriteString("timestampUtc", DateTime.SpecifyKind(TimestampUtc, DateTimeKind.Utc));
        writer.WriteStartArray("percentiles");
        for (int i = 0; i < StandardRanks.Length; i++)
        {
            PercentileJsonConverter.Write(writer, At(i));
        }

        writer.WriteEndArray();
        writer.WriteEndObject();
    }

    private void ThrowUnlessLayoutFits()
    {
        if (RelativeError > HdrLayout.MaxRelativeError || (TotalCount > 0 && RelativeError != _layout.RelativeError))
        {
            throw new JsonException("relativeError does not match the buckets.");
        }

        if (TotalCount > 0 && (P0.Bucket.End < MinTrackableValue || P100.Bucket.Start > MaxTrackableValue))
        {
            throw new JsonException("The percentiles are not between minTrackableValue and maxTrackableValue.");
        }
    }

    private int ReadPercentiles(ref Utf8JsonReader reader)
    {
        int i = 0;
        JsonValues.BeginArray(ref reader, "percentiles");
        for (; JsonValues.NextElement(ref reader); i++)
        {
            Percentile percentile = PercentileJsonConverter.Read(ref reader);
            if (i == StandardRanks.Length || Math.Abs(percentile.Rank - StandardRanks[i]) > 1e-6)
            {
                throw new JsonException(
                    FormattableString.Invariant($"percentiles[{i}] has rank {percentile.Rank:R}, which is not the standard rank."));
            }

            Bucket bucket = percentile.Bucket;
            uint firstIndex = bucket.Layout.Origin + (uint)(bucket.LogicalIndex - bucket.StorageIndex);
            if (i == 0)
            {
                (_layout, _firstIndex) = (bucket.Layout, firstIndex);
                RelativeError = RelativeError == 0 && bucket.IsValid ? bucket.Layout.RelativeError : RelativeError;
            }
            else if (bucket.Layout != _layout || firstIndex != _firstIndex || percentile.RunningCount < _found[i - 1].RunningCount
                || percentile.TargetCount < _found[i - 1].TargetCount || bucket.StorageIndex < _found[i - 1].StorageIndex
                || (percentile.RunningCount == _found[i - 1].RunningCount) != (bucket.StorageIndex == _found[i - 1].StorageIndex))
            {
                throw new JsonException($"The percentile of rank {percentile.Rank:R} is inconsistent with the previous one.");
            }

            // Do not compare the exact target: Picollo v0.1 computed it in floating point.
            if (bucket.IsOverflowBucket || bucket.IsValid != (percentile.TargetCount > 0)
                || (bucket.IsValid && percentile.TargetCount <= percentile.RunningCountBefore))
            {
                throw new JsonException($"The bucket of rank {percentile.Rank:R} is inconsistent with its counts.");
            }

            _found[i] = new CounterAtRank(percentile.TargetCount, percentile.RunningCount, bucket.Count, bucket.StorageIndex);
        }

        return i;
    }
}

/// <summary>Reads and writes a summary: its properties and the sixteen standard percentiles, about 2 KB.</summary>
internal sealed class HdrHistogramSummaryJsonConverter : JsonConverter<HdrHistogramSummary>
{
    /// <inheritdoc/>
    public override HdrHistogramSummary Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        HdrHistogramSummary.Read(ref reader);

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, HdrHistogramSummary value, JsonSerializerOptions options) => value.Write(writer);
}
