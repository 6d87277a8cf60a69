using System.Text.Json;
using System.Text.Json.Serialization.Metadata;

namespace Picollo.Metrics;

/// <content>JSON serialization.</content>
public sealed partial class HdrHistogramSnapshot
{
    /// <summary>A snapshot in JSON: its layout, range, times, counts and the buckets with values.</summary>
    internal sealed record Json(
        DateTimeOffset StartTime,
        DateTimeOffset EndTime,
        [property: JsonRequired] double RelativeError,
        ulong? LowestDiscernibleValue,
        ulong MinTrackableValue,
        ulong? MaxTrackableValue,
        [property: JsonRequired] ulong TotalCount,
        [property: JsonRequired] ulong OverflowCount,
        ulong UnderflowCount,
        [property: JsonRequired] List<BucketJson> Buckets) : IJsonRecord<HdrHistogramSnapshot, Json>
    {
        public static JsonTypeInfo<Json> TypeInfo => SnapshotJson.Default.Json;

        public static Json FromValue(HdrHistogramSnapshot value)
        {
            lock (value._gate)
            {
                return new(
                    value.StartTime,
                    value.EndTime,
                    value.RelativeError,
                    value.LowestDiscernibleValue,
                    value.MinTrackableValue,
                    value.MaxTrackableValue,
                    value.TotalCount,
                    value.OverflowCount,
                    value.UnderflowCount,
                    [.. value.BucketsWithValues.Select(BucketJson.FromValue)]);
            }
        }

        public HdrHistogramSnapshot ToValue()
        {
            HdrHistogramSettings settings = ToSettings();
            HdrHistogramLayout layout = settings.Layout;
            uint firstIndex = layout.IndexOf(settings.MinTrackableValue);
            uint length = layout.IndexOf(settings.MaxTrackableValue) - firstIndex + 1;
            ulong total = 0; // wraps, as TotalCount does
            int next = 0;
            foreach (Bucket bucket in Buckets.Select(static bucket => bucket.ToValue()))
            {
                if (bucket.Count == 0 || bucket.StorageIndex < next)
                {
                    throw new JsonException($"The bucket {bucket} is empty or not in ascending order.");
                }

                if (bucket.StorageIndex >= length || bucket != layout.BucketAt(firstIndex, bucket.StorageIndex, bucket.Count))
                {
                    throw new JsonException($"The bucket {bucket} does not belong to the snapshot's layout and range.");
                }

                total += bucket.Count;
                next = bucket.StorageIndex + 1;
            }

            if (UnderflowCount > OverflowCount)
            {
                throw new JsonException("underflowCount must not be greater than overflowCount, which includes it.");
            }

            if (total != TotalCount)
            {
                throw new JsonException("totalCount is not equal to the sum of the buckets' counts.");
            }

            // Everything is checked before the counters of the range are allocated.
            HdrHistogramSnapshot snapshot = new(layout, settings.MinTrackableValue, settings.MaxTrackableValue, source: null)
            {
                StartTime = StartTime.ToUniversalTime(),
                EndTime = EndTime.ToUniversalTime(),
                _shownOutOfRange = (UnderflowCount, OverflowCount - UnderflowCount),
            };
            Buckets.ForEach(bucket => snapshot._counts[bucket.StorageIndex] = bucket.Count);
            return snapshot;
        }

        private HdrHistogramSettings ToSettings()
        {
            // The error of a histogram is rounded down to 0.5 over a power of two.
            if (RelativeError is not (> HdrHistogramLayout.MinRelativeError / 2 and <= HdrHistogramLayout.MaxRelativeError))
            {
                throw new JsonException("relativeError must be from 0.000001 to 0.1.");
            }

            try
            {
                HdrHistogramSettings settings = HdrHistogramSettings.Default
                    .WithRelativeError(Math.Max(RelativeError, HdrHistogramLayout.MinRelativeError))
                    .WithLowestDiscernibleValue(LowestDiscernibleValue ?? 1);
                return (settings with
                {
                    MinTrackableValue = MinTrackableValue,
                    MaxTrackableValue = MaxTrackableValue ?? ulong.MaxValue,
                }).Validated();
            }
            catch (ArgumentException e)
            {
                throw new JsonException(e.Message, e);
            }
        }
    }
}

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true)]
[JsonSerializable(typeof(HdrHistogramSnapshot.Json))]
internal sealed partial class SnapshotJson : JsonSerializerContext;

internal sealed class HdrHistogramSnapshotJsonConverter : JsonRecordConverter<HdrHistogramSnapshot, HdrHistogramSnapshot.Json>;
