using System.Text.Json;
using System.Text.Json.Serialization;

namespace Picollo.Metrics;

/// <content>JSON serialization.</content>
public sealed partial class HdrHistogramSnapshot
{
    internal static HdrHistogramSnapshot Read(ref Utf8JsonReader reader)
    {
        double? relativeError = null;
        ulong lowestDiscernibleValue = 1, minTrackableValue = 0, maxTrackableValue = ulong.MaxValue;
        ulong? totalCount = null, overflowCount = null;
        ulong underflowCount = 0;
        DateTimeOffset startTime = default, endTime = default;
        List<Bucket>? buckets = null;
        JsonValues.BeginObject(ref reader, "A snapshot");
        while (JsonValues.NextProperty(ref reader, out string name))
        {
            switch (name)
            {
                case "relativeError":
                    relativeError = JsonValues.RelativeError(ref reader, name);
                    break;
                case "lowestDiscernibleValue":
                    lowestDiscernibleValue = JsonValues.UInt64(ref reader, name);
                    break;
                case "minTrackableValue":
                    minTrackableValue = JsonValues.UInt64(ref reader, name);
                    break;
                case "maxTrackableValue":
                    maxTrackableValue = JsonValues.UInt64(ref reader, name);
                    break;
                case "totalCount":
                    totalCount = JsonValues.UInt64(ref reader, name);
                    break;
                case "overflowCount":
                    overflowCount = JsonValues.UInt64(ref reader, name);
                    break;
                case "underflowCount":
                    underflowCount = JsonValues.UInt64(ref reader, name);
                    break;
                case "startTime":
                    startTime = JsonValues.Time(ref reader, name);
                    break;
                case "endTime":
                    endTime = JsonValues.Time(ref reader, name);
                    break;
                case "buckets":
                    JsonValues.BeginArray(ref reader, name);
                    buckets = [];
                    while (JsonValues.NextElement(ref reader))
                    {
                        Bucket bucket = BucketJsonConverter.Read(ref reader);
                        if (bucket.Count == 0 || (buckets is [.., var last] && bucket.StorageIndex <= last.StorageIndex))
                        {
                            throw new JsonException($"The bucket {bucket} is empty or not in ascending order.");
                        }

                        buckets.Add(bucket);
                    }

                    break;
                default:
                    reader.Skip();
                    break;
            }
        }

        HdrHistogramSnapshot snapshot = Create(
            JsonValues.Required(relativeError, nameof(relativeError)), lowestDiscernibleValue, minTrackableValue, maxTrackableValue);
        foreach (Bucket bucket in buckets ?? throw new JsonException("buckets is missing."))
        {
            snapshot.Show(bucket);
        }

        ulong outOfRange = JsonValues.Required(overflowCount, nameof(overflowCount));
        if (underflowCount > outOfRange)
        {
            throw new JsonException("underflowCount must not be greater than overflowCount, which includes it.");
        }

        if (CounterMath.Sum(snapshot._shown) != JsonValues.Required(totalCount, nameof(totalCount)))
        {
            throw new JsonException("totalCount is not equal to the sum of the buckets' counts.");
        }

        snapshot._shownOutOfRange = (underflowCount, outOfRange - underflowCount);
        (snapshot.StartTime, snapshot.EndTime) = (startTime, endTime);
        return snapshot;
    }

    internal void Write(Utf8JsonWriter writer)
    {
        lock (_gate)
        {
            using CountsCopy copy = Read();
            writer.WriteStartObject();
            writer.WriteString("startTime", StartTime);
            writer.WriteString("endTime", EndTime);
            writer.WriteNumber("relativeError", RelativeError);
            writer.WriteNumber("lowestDiscernibleValue", LowestDiscernibleValue);
            writer.WriteNumber("minTrackableValue", MinTrackableValue);
            writer.WriteNumber("maxTrackableValue", MaxTrackableValue);
            writer.WriteNumber("totalCount", CounterMath.Sum(copy.Counts));
            writer.WriteNumber("overflowCount", copy.Underflow + copy.Overflow);
            writer.WriteNumber("underflowCount", copy.Underflow);
            writer.WriteStartArray("buckets");
            for (int i = 0; i < Length; i++)
            {
                if (copy.Counts[i] != 0)
                {
                    BucketJsonConverter.Write(writer, BucketAt(i, copy.Counts[i]));
                }
            }

            writer.WriteEndArray();
            writer.WriteEndObject();
        }
    }

    private static HdrHistogramSnapshot Create(double relativeError, ulong lowestDiscernibleValue, ulong min, ulong max)
    {
        try
        {
            HdrHistogramSettings full = HdrHistogramSettings.Default
                .WithRelativeError(Math.Max(relativeError, HdrLayout.MinRelativeError))
                .WithLowestDiscernibleValue(lowestDiscernibleValue);
            HdrHistogramSettings settings = (full with { MinTrackableValue = min, MaxTrackableValue = max }).Validated();
            return new HdrHistogramSnapshot(settings.Layout, min, max, source: null);
        }
        catch (ArgumentException e)
        {
            throw new JsonException(e.Message, e);
        }
    }

    private void Show(Bucket bucket)
    {
        if (!bucket.IsValid || bucket.StorageIndex >= Length || bucket != BucketAt(bucket.StorageIndex, bucket.Count))
        {
            throw new JsonException($"The bucket {bucket} does not belong to the snapshot's layout and range.");
        }

        _shown[bucket.StorageIndex] = bucket.Count;
    }
}

/// <summary>Reads and writes a snapshot: its layout, range, times, counts and the buckets with values.</summary>
internal sealed class HdrHistogramSnapshotJsonConverter : JsonConverter<HdrHistogramSnapshot>
{
    /// <inheritdoc/>
    public override HdrHistogramSnapshot Read(ref Utf8JsonReader reader, Type typeToConvert, JsonSerializerOptions options) =>
        HdrHistogramSnapshot.Read(ref reader);

    /// <inheritdoc/>
    public override void Write(Utf8JsonWriter writer, HdrHistogramSnapshot value, JsonSerializerOptions options) => value.Write(writer);
}
