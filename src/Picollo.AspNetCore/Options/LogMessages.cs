using Picollo.Cpu;

namespace Picollo.AspNetCore;

/// <summary>All log messages. Event IDs are unique within a log category.</summary>
/// <remarks>They are in one class because the source generator emits several classes in an undefined order, so that two builds of the same
/// commit would differ.</remarks>
#pragma warning disable SYSLIB1006 // categories use the same event IDs
internal static partial class LogMessages
{
    [LoggerMessage(
        EventId = 1,
        EventName = "WorkerBlocked",
        Level = LogLevel.Warning,
        Message = "{Endpoint} blocks its CPU worker (a lock, or a wait for a task or for synchronous I/O) while other requests wait. "
            + "Other requests run in its place, but each time this costs about 30 ms and a thread. Use await instead. "
            + "This is logged once for each endpoint.")]
    public static partial void LogBlocked(this ILogger logger, string endpoint);

    [LoggerMessage(
        EventId = 1,
        EventName = "PageRefused",
        Level = LogLevel.Warning,
        Message = "A request for Picollo's page was answered with 404: {Reason}. Unless RequireAuthorization() or AllowAnonymous() is "
            + "called on MapPicollo(), the page answers only clients on this machine that run as the same user or send the token, and "
            + "only in the Development environment. "
            + "This is logged once.")]
    public static partial void LogRefused(this ILogger logger, string reason);

    [LoggerMessage(
        EventId = 2,
        EventName = "PageClosed",
        Level = LogLevel.Warning,
        Message = "Picollo's page answers all requests with 404, because the environment is {Environment} and not Development. "
            + "To open it, call MapPicollo().RequireAuthorization(), or, if only trusted clients can reach port 9464, "
            + "MapPicollo().RequireLocalPort(9464).AllowAnonymous(), and let the server listen on this port.")]
    public static partial void LogClosed(this ILogger logger, string environment);

    [LoggerMessage(
        EventId = 3,
        EventName = "PageAddress",
        Level = LogLevel.Information,
        Message = "Picollo's page: {Address}#token={Token}")]
    public static partial void LogAddress(this ILogger logger, string address, string token);

    [LoggerMessage(
        1,
        LogLevel.Warning,
        "{Method} {Route} took {CpuMilliseconds:0.###} ms of CPU time in {WallMilliseconds:0.###} ms and ended with status {StatusCode}",
        EventName = "OverCpuBudget")]
    public static partial void LogOverBudget(
        this ILogger logger, string method, string route, double cpuMilliseconds, double wallMilliseconds, int statusCode);

    [LoggerMessage(
        3,
        LogLevel.Warning,
        "The route table is full ({MaxRoutes} rows, some of which are reserved for the methods that endpoints declare): requests to "
        + "further routes are counted as (other). See PicolloOptions.Requests.MaxRoutes.",
        EventName = "RouteTableFull")]
    public static partial void LogFull(this ILogger logger, int maxRoutes);

    [LoggerMessage(
        4,
        LogLevel.Warning,
        "{Method} {Route} has taken {CpuMilliseconds:0.###} ms of CPU time in {WallMilliseconds:0.###} ms and is still running",
        EventName = "OverCpuBudgetWhileRunning")]
    public static partial void LogOverBudgetWhileRunning(
        this ILogger logger, string method, string route, double cpuMilliseconds, double wallMilliseconds);

    [LoggerMessage(
        5,
        LogLevel.Warning,
        "{Method} {Route} took {Latency} and ended with status {StatusCode}",
        EventName = "OverLatencyBudget")]
    public static partial void LogOverLatencyBudget(
        this ILogger logger, string method, string route, LatencyBreakdown latency, int statusCode);

    [LoggerMessage(
        6,
        LogLevel.Warning,
        "{Method} {Route} has taken {Latency} and is still running",
        EventName = "OverLatencyBudgetWhileRunning")]
    public static partial void LogOverLatencyBudgetWhileRunning(
        this ILogger logger, string method, string route, LatencyBreakdown latency);

    [LoggerMessage(1, LogLevel.Warning, "{Reason}", EventName = "RuntimeUnavailable")]
    public static partial void LogRuntimeUnavailable(this ILogger logger, string reason);

    [LoggerMessage(1, LogLevel.Warning, "The meters of PicolloOptions.Meters are not recorded: {Reason}", EventName = "MetersUnavailable")]
    public static partial void LogMetersUnavailable(this ILogger logger, string reason);

    [LoggerMessage(
        1,
        LogLevel.Warning,
        "{Error} This is logged again only if the error changes or recurs after a success.",
        EventName = "OtlpExportFailed")]
    public static partial void LogExportFailed(this ILogger logger, string error);

    [LoggerMessage(
        2,
        LogLevel.Information,
        "Metrics in the namespaces of OpenTelemetry's semantic conventions, such as http.server.request.duration, process.cpu.time and "
        + "dotnet.gc.collections, are not exported, because this application has an OpenTelemetry MeterProvider, which can send them. "
        + "To export them, set OtlpExportOptions.ExcludeConventionMetrics to false.",
        EventName = "OtlpConventionsExcluded")]
    public static partial void LogConventionsExcluded(this ILogger logger);

    [LoggerMessage(2, LogLevel.Warning, "The CPU time of requests is not measured: {Reason}", EventName = "CpuTimeUnavailable")]
    public static partial void LogUnavailable(this ILogger logger, string reason);

    [LoggerMessage(1, LogLevel.Warning, "Requests above the CPU budget have no CPU profile: {Reason}", EventName = "ProfilingUnavailable")]
    public static partial void LogProfilingUnavailable(this ILogger logger, string reason);

    [LoggerMessage(1, LogLevel.Warning, "The CPU time of spans is not measured: {Reason}", EventName = "SpansUnavailable")]
    public static partial void LogSpansUnavailable(this ILogger logger, string reason);

    [LoggerMessage(
        2,
        LogLevel.Warning,
        "The activity source {Source} already had a listener when the host started. If the listener is a tracer, exporters that export "
            + "each span as soon as it ends receive only one CPU time tag, as text. Do not build the tracer before the host starts.",
        EventName = "LateSource")]
    public static partial void LogLateSource(this ILogger logger, string source);
}
