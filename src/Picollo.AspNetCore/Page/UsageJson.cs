using System.Text.Json.Serialization;
using Picollo.AspNetCore.Usage;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>The answer to <c>/json</c>. The names are stable: later versions may add some, but change none.</summary>
internal sealed record UsageJson(
    DateTimeOffset TimeUtc,
    double WindowSeconds,
    int Processors,
    double? ProcessMachineShare,
    IReadOnlyList<RouteJson> Routes,
    IReadOnlyList<HistogramJson> Histograms)
{
    public static UsageJson Of(UsageReading reading) => new(
        reading.Time,
        reading.Window.TotalSeconds,
        reading.Processors,
        reading.ProcessShare,
        [.. reading.All.Where(usage => usage.Subject.IsRoute).Select(RouteJson.Of)],
        [.. reading.Histograms.Select(HistogramJson.Of)]);
}

/// <summary>A route; times in seconds.</summary>
internal sealed record RouteJson(
    string Id,
    string Method,
    string Route,
    ulong Count,
    double Rate,
    double MachineShare,
    double? KernelShare,
    QuantilesJson CpuSeconds,
    QuantilesJson WallSeconds)
{
    public static RouteJson Of(SubjectUsage usage) => new(
        usage.Subject.Id,
        usage.Subject.Method,
        usage.Subject.Name,
        usage.Count,
        usage.Rate,
        usage.MachineShare,
        usage.KernelShare,
        QuantilesJson.Of(usage.Quantiles[0], ratio: 1e9),
        QuantilesJson.Of(usage.Quantiles[1], ratio: 1e9));
}

/// <summary>A registered histogram; values in the unit of its description.</summary>
internal sealed record HistogramJson(
    string Id, string Name, IReadOnlyDictionary<string, string> Labels, string Unit, ulong Count, double Rate, QuantilesJson Values)
{
    public static HistogramJson Of(SubjectUsage usage)
    {
        HdrHistogramRegistration registration = usage.Subject.Registrations[0];
        return new(
            usage.Subject.Id,
            registration.Name,
            registration.Labels.ToDictionary(label => label.Key, label => label.Value, StringComparer.Ordinal),
            registration.Description.Unit.Name,
            usage.Count,
            usage.Rate,
            QuantilesJson.Of(usage.Quantiles[0], registration.Description.Unit.Ratio));
    }
}

/// <summary>Percentiles of the values within the histogram's range.</summary>
internal sealed record QuantilesJson(
    double P50, double P90, double P99, [property: JsonPropertyName("p99.9")] double P999, double Max, ulong OutOfRange)
{
    public static QuantilesJson Of(Quantiles quantiles, double ratio) => new(
        quantiles.P50 / ratio,
        quantiles.P90 / ratio,
        quantiles.P99 / ratio,
        quantiles.P999 / ratio,
        quantiles.Max / ratio,
        quantiles.OutOfRange);
}

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(UsageJson))]
[JsonSerializable(typeof(Mark))]
internal sealed partial class PageJsonContext : JsonSerializerContext;
