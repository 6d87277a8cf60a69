using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

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

    private void SetPercentiles(List<PercentileJson> percentiles)
    {
        if (percentiles.Count != StandardRanks.Length)
        {
            throw new JsonException($"percentiles contains {percentiles.Count} of the {StandardRanks.Length} standard ranks.");
        }

        for (int i = 0; i < StandardRanks.Length; i++)
        {
            Percentile percentile = percentiles[i].ToValue();
            if (Math.Abs(percentile.Rank - StandardRanks[i]) > 1e-6)
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
    }

    /// <summary>A summary in JSON, about 2 KB. Picollo v0.1 writes neither the relative error nor the sum nor the time.</summary>
    internal sealed record Json(
        ulong MinTrackableValue,
        ulong? MaxTrackableValue,
        double RelativeError,
        [property: JsonRequired] ulong TotalCount,
        ulong OverflowCount,
        double? Sum,
        [property: JsonRequired] double Mean,
        double StDev,
        DateTime? TimestampUtc,
        [property: JsonRequired] List<PercentileJson> Percentiles) : IJsonRecord<HdrHistogramSummary, Json>
    {
        public static JsonTypeInfo<Json> TypeInfo => ReadingJson.Default.Json;

        public static Json FromValue(HdrHistogramSummary value) => new(
            value.MinTrackableValue,
            value.MaxTrackableValue,
            value.RelativeError,
            value.TotalCount,
            value.OverflowCount,
            value.Sum,
            value.Mean,
            value.StDev,
            value.TimestampUtc,
            [.. Enumerable.Range(0, StandardRanks.Length).Select(i => PercentileJson.FromValue(value.At(i)))]);

        public HdrHistogramSummary ToValue()
        {
            double sum = Sum ?? (Mean * TotalCount);
            if (new[] { RelativeError, sum, Mean, StDev }.Any(static number => number is not (>= 0 and < double.PositiveInfinity)))
            {
                throw new JsonException("relativeError, sum, mean and stDev must be finite and not negative.");
            }

            HdrHistogramSummary summary = new()
            {
                _selection = Percentile.DefaultEquivalentValueSelection,
                MinTrackableValue = MinTrackableValue,
                MaxTrackableValue = MaxTrackableValue ?? ulong.MaxValue,
                RelativeError = RelativeError,
                TotalCount = TotalCount,
                OverflowCount = OverflowCount,
                Sum = sum,
                Mean = Mean,
                StDev = StDev,
                EndTime = new DateTimeOffset(TimestampUtc?.ToUniversalTime() ?? default, TimeSpan.Zero),
            };
            summary.SetPercentiles(Percentiles);
            if (summary.P100.RunningCount != TotalCount)
            {
                throw new JsonException("totalCount is not equal to the runningCount of the last percentile.");
            }

            if (RelativeError > HdrHistogramLayout.MaxRelativeError
                || (TotalCount > 0 && summary.RelativeError != summary._layout.RelativeError))
            {
                throw new JsonException("relativeError does not match the buckets.");
            }

            return TotalCount == 0
                || (summary.P0.Bucket.End >= summary.MinTrackableValue && summary.P100.Bucket.Start <= summary.MaxTrackableValue)
                ? summary
                : throw new JsonException("The percentiles are not between minTrackableValue and maxTrackableValue.");
        }
    }
}

internal sealed class HdrHistogramSummaryJsonConverter : JsonRecordConverter<HdrHistogramSummary, HdrHistogramSummary.Json>;
