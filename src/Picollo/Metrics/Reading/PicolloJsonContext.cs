using System.Text.Json;
using System.Text.Json.Serialization;

namespace Picollo.Metrics;

/// <summary>System.Text.Json metadata of the types that Picollo reads and writes as JSON, for trimmed and Native AOT applications:
/// <c>JsonSerializer.Serialize(summary, PicolloJsonContext.Default.HdrHistogramSummary)</c>.</summary>
[JsonSerializable(typeof(Bucket))]
[JsonSerializable(typeof(Percentile))]
[JsonSerializable(typeof(HdrHistogramSummary))]
[JsonSerializable(typeof(HdrHistogramSnapshot))]
public sealed partial class PicolloJsonContext : JsonSerializerContext
{
}

/// <summary>Creates the JSON converters of <see cref="Bucket"/>, <see cref="Percentile"/>, <see cref="HdrHistogramSummary"/> and
/// <see cref="HdrHistogramSnapshot"/>. These types refer to it in an attribute, so System.Text.Json uses it automatically.</summary>
/// <remarks>
/// <para>The property names are those of Picollo v0.1, whose summaries, percentiles and buckets can be read. A bucket has a
/// <c>unitScale</c>, the base-2 logarithm of the lowest discernible value, unless it is 0.</para>
/// <para>If a property is missing or inconsistent with others, a <see cref="JsonException"/> with the reason is thrown. A summary takes
/// about 2 KB of JSON. A snapshot takes about 90 bytes of JSON for each bucket with values. After it is read, it takes 8 bytes of memory
/// for every bucket of its range, at most 190 MB.</para>
/// <para>Stateless and thread-safe.</para>
/// </remarks>
public sealed class PicolloJsonConverter : JsonConverterFactory
{
    /// <inheritdoc/>
    public override bool CanConvert(Type typeToConvert) =>
        typeToConvert == typeof(Bucket) || typeToConvert == typeof(Percentile)
        || typeToConvert == typeof(HdrHistogramSummary) || typeToConvert == typeof(HdrHistogramSnapshot);

    /// <inheritdoc/>
    /// <exception cref="NotSupportedException">The type is not one of the four types.</exception>
    public override JsonConverter CreateConverter(Type typeToConvert, JsonSerializerOptions options) =>
        typeToConvert == typeof(Bucket) ? new BucketJsonConverter()
        : typeToConvert == typeof(Percentile) ? new PercentileJsonConverter()
        : typeToConvert == typeof(HdrHistogramSummary) ? new HdrHistogramSummaryJsonConverter()
        : typeToConvert == typeof(HdrHistogramSnapshot) ? new HdrHistogramSnapshotJsonConverter()
        : throw new NotSupportedException($"Picollo has no JSON converter for {typeToConvert}.");
}
