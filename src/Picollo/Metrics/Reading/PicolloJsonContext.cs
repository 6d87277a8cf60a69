using System.Text.Json;
using System.Text.Json.Serialization;

namespace Picollo.Metrics;

/// <summary>System.Text.Json's metadata of the types that Picollo reads and writes as JSON, for trimmed and Native AOT applications:
/// <c>JsonSerializer.Serialize(summary, PicolloJsonContext.Default.HdrHistogramSummary)</c>.</summary>
[JsonSerializable(typeof(Bucket))]
[JsonSerializable(typeof(Percentile))]
[JsonSerializable(typeof(HdrHistogramSummary))]
[JsonSerializable(typeof(HdrHistogramSnapshot))]
public sealed partial class PicolloJsonContext : JsonSerializerContext
{
}

/// <summary>Creates the JSON converters of <see cref="Bucket"/>, <see cref="Percentile"/>, <see cref="HdrHistogramSummary"/> and
/// <see cref="HdrHistogramSnapshot"/>. An attribute of these types refers to it, so that System.Text.Json uses it.</summary>
/// <remarks>
/// <para>The names are those of Picollo v0.1, whose summaries, percentiles and buckets can be read. A bucket has a <c>unitScale</c>, the
/// base-2 logarithm of the lowest discernible value, unless that is 0.</para>
/// <para>JSON in which a property is missing, or does not fit the others, is rejected with a <see cref="JsonException"/> that says what is
/// wrong. A summary takes some 2 KB of JSON. A snapshot takes some 90 bytes for each bucket with values, and once read 8 bytes for every
/// bucket of its range, at most 190 MB.</para>
/// <para>Without state, thread-safe.</para>
/// </remarks>
public sealed class PicolloJsonConverter : JsonConverterFactory
{
    /// <inheritdoc/>
    public override bool CanConvert(Type typeToConvert) =>
        typeToConvert == typeof(Bucket) || typeToConvert == typeof(Percentile)
        || typeToConvert == typeof(HdrHistogramSummary) || typeToConvert == typeof(HdrHistogramSnapshot);

    /// <inheritdoc/>
    /// <exception cref="NotSupportedException">Another type.</exception>
    public override JsonConverter CreateConverter(Type typeToConvert, JsonSerializerOptions options) =>
        typeToConvert == typeof(Bucket) ? new BucketJsonConverter()
        : typeToConvert == typeof(Percentile) ? new PercentileJsonConverter()
        : typeToConvert == typeof(HdrHistogramSummary) ? new HdrHistogramSummaryJsonConverter()
        : typeToConvert == typeof(HdrHistogramSnapshot) ? new HdrHistogramSnapshotJsonConverter()
        : throw new NotSupportedException($"Picollo has no JSON converter for {typeToConvert}.");
}
