using System.Text.Json.Serialization;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Reading;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Page;

/// <summary>The response of <c>/json</c>. Property names are stable: later versions may add properties, but do not rename them.</summary>
internal sealed record PageJson(
    DateTimeOffset TimeUtc,
    double WindowSeconds,
    int Processors,
    double? ProcessMachineShare,
    int MaxRoutes,
    bool IsRouteTableFull,
    IReadOnlyList<CpuPartJson> ProcessCpu,
    RunningJson Running,
    IReadOnlyList<RouteJson> Routes,
    IReadOnlyList<WorkJson> Work,
    IReadOnlyList<HistogramJson> Histograms,
    RuntimeJson? Runtime,
    MetersJson? Meters,
    IReadOnlyList<TracedRequestJson>? SlowestRequests)
{
    public static PageJson Of(PageReading reading) => new(
        reading.Time,
        reading.Window.TotalSeconds,
        reading.Processors,
        reading.ProcessShare,
        reading.MaxRoutes,
        reading.IsFull,
        [.. reading.Parts.Select(part => new CpuPartJson(part.Name, part.Nanoseconds / 1e9, part.MachineShare))],
        RunningJson.Of(reading),
        [.. reading.All.Where(usage => usage.Row.IsRoute).Select(RouteJson.Of)],
        [.. reading.All.Where(usage => usage.Row is { Measured: not null, IsRoute: false }).Select(WorkJson.Of)],
        [.. reading.All.Where(usage => usage.Row.Measured is null).Select(HistogramJson.Of)],
        reading.Runtime is { } runtime ? RuntimeJson.Of(runtime) : null,
        MetersJson.Of(reading.Meters),
        reading.Slowest is { } slowest ? [.. slowest.Select(TracedRequestJson.Of)] : null);
}

/// <summary>One of the slowest requests, with its trace.</summary>
internal sealed record TracedRequestJson(
    string Method,
    string Route,
    int StatusCode,
    DateTimeOffset EndUtc,
    double WallSeconds,
    double CpuSeconds,
    string TraceId,
    string SpanId,
    string? RpcStatusCode,
    string? ErrorType)
{
    public static TracedRequestJson Of(TracedRequest request) => new(
        request.Row.Method,
        request.Row.Route,
        request.Outcome.Status,
        request.End,
        request.WallNanoseconds / 1e9,
        request.CpuNanoseconds / 1e9,
        request.TraceId,
        request.SpanId,
        request.Outcome.RpcStatus,
        request.Outcome.ErrorType);
}

/// <summary>Totals of the runtime since the process started (exceptions: since the application started), and rates over the window. A
/// collection is counted for its oldest generation. The distributions are among the histograms.</summary>
internal sealed record RuntimeJson(
    double GcPauseShare,
    double GcPauseSecondsTotal,
    long Gen0CollectionsTotal,
    long Gen1CollectionsTotal,
    long Gen2CollectionsTotal,
    double AllocatedBytesRate,
    long AllocatedBytesTotal,
    double ExceptionsRate,
    long ExceptionsTotal,
    long CompiledMethodsTotal,
    double CompilationSecondsTotal,
    IReadOnlyList<string> UnavailableReasons)
{
    public static RuntimeJson Of(RuntimeReading reading) => new(
        reading.PauseShare,
        reading.Totals.GcPauseTime.TotalSeconds,
        reading.Totals.Gen0Collections - reading.Totals.Gen1Collections,
        reading.Totals.Gen1Collections - reading.Totals.Gen2Collections,
        reading.Totals.Gen2Collections,
        reading.AllocationRate,
        reading.Totals.AllocatedBytes,
        reading.ExceptionRate,
        reading.Totals.Exceptions,
        reading.Totals.CompiledMethods,
        reading.Totals.CompilationTime.TotalSeconds,
        reading.UnavailableReasons);
}

/// <summary>A part of the CPU time of the process. The parts add up to the CPU time of the process.</summary>
internal sealed record CpuPartJson(string Name, double SecondsTotal, double MachineShare);

/// <summary>The requests and runs that have not ended, without requests for Picollo's page: their number, the number of long-lived
/// requests among them, the oldest one that is not long-lived, and the one with the most CPU time.</summary>
internal sealed record RunningJson(int Count, int LongLived, RunJson? Oldest, RunJson? MostExpensive)
{
    public static RunningJson Of(PageReading reading) => new(
        reading.Running.Count,
        reading.Running.Count(run => run.Description.IsLongLived),
        RunJson.Of(reading.Oldest),
        RunJson.Of(reading.MostExpensive));
}

/// <summary>A request, or a run of named work, which has no method. The path is present only if
/// <see cref="PicolloOptions.ShowPaths"/> is set.</summary>
internal sealed record RunJson(string? Method, string Name, string? Path, double AgeSeconds, double CpuSeconds)
{
    public static RunJson? Of(RunReading? run) => run is not { } one ? null : new(
        (one.Description.Row as RouteRow)?.Method,
        one.Description.Row.Name,
        one.Description.Path,
        one.Age.TotalSeconds,
        one.CpuNanoseconds / 1e9);
}

/// <summary>The usage of named work. Times are in seconds.</summary>
internal sealed record WorkJson(
    string Id,
    string Name,
    ulong Count,
    double Rate,
    double MachineShare,
    double? KernelShare,
    double CpuSecondsTotal,
    PercentilesJson CpuSeconds,
    PercentilesJson WallSeconds,
    PercentilesJson? AllocatedBytes,
    ResultsJson Results)
{
    public static WorkJson Of(RowReading usage) => new(
        usage.Row.Id,
        usage.Row.Name,
        usage.Count,
        usage.Rate,
        usage.MachineShare,
        usage.KernelShare,
        usage.Sum / 1e9,
        PercentilesJson.OfCpu(usage),
        PercentilesJson.OfWall(usage),
        usage.Allocated is { } allocated ? PercentilesJson.Of(allocated, ratio: 1) : null,
        ResultsJson.Of(usage.Row.WorkRow!));
}

/// <summary>The number of ended runs by result.</summary>
internal sealed record ResultsJson(long Completed, long Failed, long Canceled)
{
    public static ResultsJson Of(WorkRow work) => new(work[WorkResult.Completed], work[WorkResult.Failed], work[WorkResult.Canceled]);
}

/// <summary>The usage of a route. Times are in seconds.</summary>
internal sealed record RouteJson(
    string Id,
    string Method,
    string Route,
    ulong Count,
    double Rate,
    double MachineShare,
    double? KernelShare,
    ResponsesJson Responses,
    long Rejected,
    double CpuSecondsTotal,
    double AfterResponseCpuSecondsTotal,
    PercentilesJson CpuSeconds,
    PercentilesJson WallSeconds,
    PercentilesJson? AllocatedBytes,
    IReadOnlyList<StatusJson> ResponsesByStatus)
{
    public static RouteJson Of(RowReading usage) => new(
        usage.Row.Id,
        usage.Row.Method,
        usage.Row.Name,
        usage.Count,
        usage.Rate,
        usage.MachineShare,
        usage.KernelShare,
        ResponsesJson.Of(usage.Row.Route!),
        usage.Row.Route!.Rejected,
        usage.Sum / 1e9,
        usage.AfterEndNanoseconds / 1e9,
        PercentilesJson.OfCpu(usage),
        PercentilesJson.OfWall(usage),
        usage.Allocated is { } allocated ? PercentilesJson.Of(allocated, ratio: 1) : null,
        [.. usage.Row.Route!.Durations.Select(StatusJson.Of)]);
}

/// <summary>The number of responses with a status code, a gRPC status and a type of error, without rejected requests. The status code is
/// null for all further combinations.</summary>
internal sealed record StatusJson(int? StatusCode, string? RpcStatusCode, string? ErrorType, long Count)
{
    public static StatusJson Of(StatusDuration duration) =>
        new(duration.Outcome?.Status, duration.Outcome?.RpcStatus, duration.Outcome?.ErrorType, duration.Count);
}

/// <summary>The number of responses by class. The sum is the route's count.</summary>
internal sealed record ResponsesJson(
    [property: JsonPropertyName("1xx")] long Informational,
    [property: JsonPropertyName("2xx")] long Success,
    [property: JsonPropertyName("3xx")] long Redirection,
    [property: JsonPropertyName("4xx")] long ClientError,
    [property: JsonPropertyName("5xx")] long ServerError,
    long Aborted)
{
    public static ResponsesJson Of(RouteRow route) => new(
        route[ResponseClass.Informational],
        route[ResponseClass.Success],
        route[ResponseClass.Redirection],
        route[ResponseClass.ClientError],
        route[ResponseClass.ServerError],
        route[ResponseClass.Aborted]);
}

/// <summary>A registered histogram. Values are in the unit of its description.</summary>
internal sealed record HistogramJson(
    string Id, string Name, IReadOnlyDictionary<string, string> Labels, string Unit, ulong Count, double Rate, PercentilesJson Values)
{
    public static HistogramJson Of(RowReading usage)
    {
        HdrHistogramRegistration registration = usage.Row.Registrations[0];
        return new(
            usage.Row.Id,
            registration.Name,
            registration.Labels.ToDictionary(label => label.Key, label => label.Value, StringComparer.Ordinal),
            registration.Description.Unit.Name,
            usage.Count,
            usage.Rate,
            PercentilesJson.Of(usage.Percentiles[0], registration.Description.Unit.Ratio));
    }
}

/// <summary>The number of series that are recorded from meters, and the numbers of measurements and instruments that are not. Null if no
/// meters were added.</summary>
internal sealed record MetersJson(
    string? UnavailableReason, int Series, long Negative, long NotANumber, long Overflow, int RefusedInstruments)
{
    public static MetersJson? Of(MeterHistograms? meters) => meters is null ? null : new(
        meters.UnavailableReason,
        meters.SeriesCount,
        meters.NegativeCount,
        meters.NaNCount,
        meters.OverflowCount,
        meters.RefusedInstrumentCount);
}

/// <summary>The percentiles, the number and the sum of the values within the histogram's range. The sum is exact for routes and work, and
/// otherwise within the histogram's relative error. A percentile without a value above it equals the maximum; the page does not show
/// it.</summary>
internal sealed record PercentilesJson(
    double P50,
    double P90,
    double P99,
    [property: JsonPropertyName("p99.9")] double P999,
    [property: JsonPropertyName("p99.99")] double P9999,
    double Max,
    ulong OutOfRange,
    ulong Count,
    double Sum)
{
    /// <summary>The mean; 0 without values.</summary>
    public double Mean => Count == 0 ? 0 : Sum / Count;

    /// <summary>Returns the CPU time of a route or of named work, in seconds.</summary>
    public static PercentilesJson OfCpu(RowReading usage) => Of(usage.Percentiles[0], ratio: 1e9);

    /// <summary>Returns the wall time of a route or of named work, in seconds.</summary>
    public static PercentilesJson OfWall(RowReading usage) => Of(usage.Percentiles[1], ratio: 1e9);

    public static PercentilesJson Of(Percentiles quantiles, double ratio) => new(
        quantiles.P50 / ratio,
        quantiles.P90 / ratio,
        quantiles.P99 / ratio,
        quantiles.P999 / ratio,
        quantiles.P9999 / ratio,
        quantiles.Max / ratio,
        quantiles.OutOfRange,
        quantiles.Count,
        quantiles.Sum / ratio);
}

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(PageJson))]
[JsonSerializable(typeof(Mark))]
internal sealed partial class PageJsonContext : JsonSerializerContext;
