using System.Text.Json;

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
