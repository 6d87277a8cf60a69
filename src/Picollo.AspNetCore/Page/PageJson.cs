using System.Diagnostics.CodeAnalysis;
using System.Text.Json.Serialization;
using Picollo.AspNetCore.Measuring;
using Picollo.AspNetCore.Reading;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Metrics;
using Picollo.Profiling.Waits;

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
    IReadOnlyList<KeptRequestJson>? SlowestRequests,
    IReadOnlyList<KeptRequestJson>? RequestsOverLatencyBudget,
    string? MissingStates,
    WaitsJson? Waits)
{
    public static PageJson From(PageReading reading) => new(
        reading.Time,
        reading.Window.TotalSeconds,
        reading.Processors,
        reading.ProcessShare,
        reading.MaxRoutes,
        reading.IsFull,
        [.. reading.Parts.Select(part => new CpuPartJson(part.Name, part.Nanoseconds / 1e9, part.MachineShare))],
        RunningJson.From(reading),
        [.. reading.All.Where(row => row.Row.IsRoute).Select(RouteJson.From)],
        [.. reading.All.Where(row => row.Row is { Measured: not null, IsRoute: false }).Select(WorkJson.From)],
        [.. reading.All.Where(row => row.Row.Measured is null).Select(HistogramJson.From)],
        reading.Runtime is { } runtime ? RuntimeJson.From(runtime) : null,
        MetersJson.From(reading.Meters),
        KeptRequestJson.From(reading.Slowest),
        KeptRequestJson.From(reading.OverLatencyBudget),
        reading.MissingStates,
        WaitsJson.From(reading.Waits));
}

/// <summary>The latest measured waits. The longest waits are first.</summary>
internal sealed record WaitsJson(
    DateTimeOffset StartUtc, double Seconds, IReadOnlyList<WaitRowJson> Rows, IReadOnlyList<string> Notes)
{
    public static WaitsJson? From(WaitProfile? waits) => waits is null ? null : new(
        waits.StartTime,
        waits.Duration.TotalSeconds,
        [.. waits.Rows.Select(row => new WaitRowJson(
            row.Label.Method.Length > 0 ? row.Label.Method : null,
            row.Label.Name,
            row.Kind,
            row.Method,
            row.Count,
            row.Total.TotalSeconds,
            row.Longest.TotalSeconds))],
        waits.Notes);
}

/// <summary>The waits of a route, or of named work, which has no method. The waiting method is empty if it is unknown.</summary>
internal sealed record WaitRowJson(
    string? Method, string Name, string Kind, string WaitingMethod, long Count, double SecondsTotal, double LongestSeconds);

/// <summary>A request that is shown on its own. The IDs of its trace are empty if it is not traced. The states are null if they are not
/// measured.</summary>
internal sealed record KeptRequestJson(
    string Method,
    string Route,
    int StatusCode,
    DateTimeOffset EndUtc,
    double WallSeconds,
    double CpuSeconds,
    string TraceId,
    string SpanId,
    string? RpcStatusCode,
    string? ErrorType,
    RequestBreakdownJson? Breakdown)
{
    public static IReadOnlyList<KeptRequestJson>? From(IReadOnlyList<KeptRequest>? requests) =>
        requests is null ? null : [.. requests.Select(From)];

    private static KeptRequestJson From(KeptRequest request) => new(
        request.Row.Method,
        request.Row.Route,
        request.Outcome.Status,
        request.End,
        request.WallNanoseconds / 1e9,
        request.CpuNanoseconds / 1e9,
        request.TraceId,
        request.SpanId,
        request.Outcome.RpcStatus,
        request.Outcome.ErrorType,
        request.Latency is { } latency ? new(BreakdownJson.Seconds(latency), BreakdownJson.EstimatesOf(latency)) : null);
}

/// <summary>The seconds that a request was in each state, by the name of the state, and the states that are estimates.</summary>
internal sealed record RequestBreakdownJson(IReadOnlyDictionary<string, double> States, IReadOnlyList<string> Estimated);

/// <summary>The mean seconds of the requests or runs in each state, by the name of the state: of all, of those around the median, and of
/// those above the 99th percentile (null for too few). The states add up to the duration, except that <c>cpu</c> contains
/// <c>cpu.user</c> and <c>cpu.kernel</c>. A state without a source is absent.</summary>
internal sealed record BreakdownJson(
    long Count,
    IReadOnlyDictionary<string, double>? Mean,
    IReadOnlyDictionary<string, double>? P50,
    IReadOnlyDictionary<string, double>? P99,
    IReadOnlyList<string> Estimated)
{
    public static BreakdownJson? From(LatencySums? latency) => latency is null ? null : new(
        latency.Count,
        Seconds(latency.Mean),
        Seconds(latency.Middle),
        Seconds(latency.High),
        latency.Mean is { } mean ? EstimatesOf(mean) : []);

    [return: NotNullIfNotNull(nameof(latency))]
    public static IReadOnlyDictionary<string, double>? Seconds(LatencyShares? latency) => latency is null ? null : StatesOf(latency)
        .ToDictionary(state => state.Name(), state => latency[state]!.Value / 1e9, StringComparer.Ordinal);

    public static IReadOnlyList<string> EstimatesOf(LatencyShares latency) =>
        [.. StatesOf(latency).Where(latency.IsEstimated).Select(state => state.Name())];

    private static IEnumerable<LatencyState> StatesOf(LatencyShares latency) =>
        LatencyStateValues.All.Where(state => latency[state] is not null);
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
    public static RuntimeJson From(RuntimeReading reading) => new(
        reading.PauseShare,
        reading.Totals.GcPauseTime.TotalSeconds,
        reading.Totals.Gen0CollectionCount - reading.Totals.Gen1CollectionCount,
        reading.Totals.Gen1CollectionCount - reading.Totals.Gen2CollectionCount,
        reading.Totals.Gen2CollectionCount,
        reading.AllocationRate,
        reading.Totals.AllocatedBytes,
        reading.ExceptionRate,
        reading.Totals.ExceptionCount,
        reading.Totals.CompiledMethodCount ?? 0,
        reading.Totals.CompilationTime.TotalSeconds,
        reading.UnavailableReasons);
}

/// <summary>A part of the CPU time of the process. The parts add up to the CPU time of the process.</summary>
internal sealed record CpuPartJson(string Name, double SecondsTotal, double MachineShare);

/// <summary>The requests and runs that have not ended, without requests for Picollo's page: their number, the number of long-lived
/// requests among them, the oldest one that is not long-lived, and the one with the most CPU time.</summary>
internal sealed record RunningJson(int Count, int LongLived, RunJson? Oldest, RunJson? MostExpensive)
{
    public static RunningJson From(PageReading reading) => new(
        reading.Running.Count,
        reading.Running.Count(run => run.IsLongLived),
        RunJson.From(reading.Oldest),
        RunJson.From(reading.MostExpensive));
}

/// <summary>A request, or a run of named work, which has no method. The path is present only if
/// <see cref="PicolloRequestOptions.ShowPaths"/> is set.</summary>
internal sealed record RunJson(string? Method, string Name, string? Path, double AgeSeconds, double CpuSeconds)
{
    public static RunJson? From(RunReading? run) => run is not { } found ? null : new(
        (found.Row as RouteRow)?.Method,
        found.Row.Name,
        found.Path,
        found.Age.TotalSeconds,
        found.CpuNanoseconds / 1e9);
}

/// <summary>Named work. Times are in seconds.</summary>
internal sealed record WorkJson(
    string Id,
    string Name,
    ulong Count,
    double Rate,
    double MachineShare,
    double? KernelShare,
    double CpuSecondsTotal,
    PercentilesJson? CpuSeconds,
    PercentilesJson? WallSeconds,
    PercentilesJson? AllocatedBytes,
    ResultsJson Results,
    BreakdownJson? Breakdown)
{
    public static WorkJson From(RowReading reading) => new(
        reading.Row.Id,
        reading.Row.Name,
        reading.Count,
        reading.Rate,
        reading.MachineShare,
        reading.KernelShare,
        reading.Sum / 1e9,
        PercentilesJson.From(reading, RunFact.CpuTime),
        PercentilesJson.From(reading, RunFact.WallTime),
        PercentilesJson.From(reading, RunFact.AllocatedBytes),
        ResultsJson.From(reading.Row.WorkRow!),
        BreakdownJson.From(reading.Latency));
}

internal sealed record ResultsJson(long Completed, long Failed, long Canceled)
{
    public static ResultsJson From(WorkRow work) => new(work[WorkResult.Completed], work[WorkResult.Failed], work[WorkResult.Canceled]);
}

/// <summary>A route. Times are in seconds.</summary>
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
    PercentilesJson? CpuSeconds,
    PercentilesJson? WallSeconds,
    PercentilesJson? AllocatedBytes,
    PercentilesJson? RequestBodyBytes,
    IReadOnlyList<StatusJson> ResponsesByStatus,
    BreakdownJson? Breakdown)
{
    public static RouteJson From(RowReading reading) => new(
        reading.Row.Id,
        reading.Row.Method,
        reading.Row.Name,
        reading.Count,
        reading.Rate,
        reading.MachineShare,
        reading.KernelShare,
        ResponsesJson.From(reading.Row.Route!),
        reading.Row.Route!.Rejected,
        reading.Sum / 1e9,
        reading.AfterEndNanoseconds / 1e9,
        PercentilesJson.From(reading, RunFact.CpuTime),
        PercentilesJson.From(reading, RunFact.WallTime),
        PercentilesJson.From(reading, RunFact.AllocatedBytes),
        PercentilesJson.From(reading, RunFact.RequestBodyBytes),
        [.. reading.Row.Route!.Durations.Select(StatusJson.From)],
        BreakdownJson.From(reading.Latency));
}

/// <summary>The number of responses with a status code, a gRPC status and a type of error, without rejected requests. The status code is
/// null for all further combinations.</summary>
internal sealed record StatusJson(int? StatusCode, string? RpcStatusCode, string? ErrorType, long Count)
{
    public static StatusJson From(StatusDuration duration) =>
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
    public static ResponsesJson From(RouteRow route) => new(
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
    public static HistogramJson From(RowReading reading)
    {
        HdrHistogramRegistration registration = reading.Row.Registrations[0];
        return new(
            reading.Row.Id,
            registration.Name,
            registration.Labels.ToDictionary(label => label.Key, label => label.Value, StringComparer.Ordinal),
            registration.Description.Unit.Name,
            reading.Count,
            reading.Rate,
            PercentilesJson.From(reading.Percentiles[0]!, registration.Description.Unit.Ratio));
    }
}

/// <summary>The number of series that are recorded from meters, and the numbers of measurements and instruments that are not. Null if no
/// meters were added.</summary>
internal sealed record MetersJson(
    string? UnavailableReason, int Series, long Negative, long NotANumber, long Overflow, int RefusedInstruments)
{
    public static MetersJson? From(MeterHistograms? meters) => meters is null ? null : new(
        meters.UnavailableReason,
        meters.SeriesCount,
        meters.NegativeMeasurementCount,
        meters.NaNMeasurementCount,
        meters.OverflowSeriesMeasurementCount,
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

    /// <summary>Returns the percentiles of a fact, in the unit of the exposition; null if it is not measured.</summary>
    public static PercentilesJson? From(RowReading reading, RunFact fact) => reading[fact] is { } percentiles
        ? From(percentiles, RunFacts.Recorded[(int)fact].Description.Unit.Ratio)
        : null;

    public static PercentilesJson From(Percentiles percentiles, double ratio) => new(
        percentiles.P50 / ratio,
        percentiles.P90 / ratio,
        percentiles.P99 / ratio,
        percentiles.P999 / ratio,
        percentiles.P9999 / ratio,
        percentiles.Max / ratio,
        percentiles.OutOfRange,
        percentiles.Count,
        percentiles.Sum / ratio);
}

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase)]
[JsonSerializable(typeof(PageJson))]
[JsonSerializable(typeof(ComparisonMark))]
internal sealed partial class PageJsonContext : JsonSerializerContext;
