using Microsoft.Extensions.Logging;

namespace Picollo.AspNetCore;

/// <summary>All log messages. Each category numbers its own.</summary>
/// <remarks>In one class, because the generator writes several in any order, and then two builds of one commit differ.</remarks>
#pragma warning disable SYSLIB1006 // the categories share numbers
internal static partial class LogMessages
{
    [LoggerMessage(
        EventId = 1,
        EventName = "WorkerBlocked",
        Level = LogLevel.Warning,
        Message = "{Endpoint} blocks its CPU worker (a lock, or a wait for a task or for synchronous I/O) while other requests wait. "
            + "Others run in its place, but each time it costs some 30 ms and a thread: use await. This is logged once for each endpoint.")]
    public static partial void LogBlocked(this ILogger logger, string endpoint);

    [LoggerMessage(
        EventId = 1,
        EventName = "PageRefused",
        Level = LogLevel.Warning,
        Message = "A request for Picollo's page was answered with 404: {Reason}. Without RequireAuthorization() or AllowAnonymous() on "
            + "MapPicollo(), the page answers only in the Development environment and only this machine. This is logged once.")]
    public static partial void LogRefused(this ILogger logger, string reason);

    [LoggerMessage(
        EventId = 2,
        EventName = "PageClosed",
        Level = LogLevel.Warning,
        Message = "Picollo's page answers all requests with 404, because the environment is {Environment} and not Development. "
            + "To open it, write MapPicollo().RequireAuthorization(), or, where only trusted clients reach port 9464, "
            + "MapPicollo().RequireLocalPort(9464).AllowAnonymous().")]
    public static partial void LogClosed(this ILogger logger, string environment);

    [LoggerMessage(
        1,
        LogLevel.Warning,
        "{Method} {Route} took {CpuMilliseconds:0.###} ms of CPU time in {WallMilliseconds:0.###} ms and ended with {StatusCode}",
        EventName = "OverCpuBudget")]
    public static partial void LogOverBudget(
        this ILogger logger, string method, string route, double cpuMilliseconds, double wallMilliseconds, int statusCode);

    [LoggerMessage(
        3,
        LogLevel.Warning,
        "The table of routes is full ({MaxRoutes} rows): requests of further routes count as (other). See PicolloOptions.MaxRoutes",
        EventName = "RouteTableFull")]
    public static partial void LogFull(this ILogger logger, int maxRoutes);

    [LoggerMessage(
        4,
        LogLevel.Warning,
        "{Method} {Route} has taken {CpuMilliseconds:0.###} ms of CPU time in {WallMilliseconds:0.###} ms and is still running",
        EventName = "OverCpuBudgetWhileRunning")]
    public static partial void LogOverBudgetWhileRunning(
        this ILogger logger, string method, string route, double cpuMilliseconds, double wallMilliseconds);

    [LoggerMessage(1, LogLevel.Warning, "{Reason}", EventName = "RuntimeUnavailable")]
    public static partial void LogRuntimeUnavailable(this ILogger logger, string reason);

    [LoggerMessage(1, LogLevel.Warning, "The meters of PicolloOptions.Meters are not recorded: {Reason}", EventName = "MetersUnavailable")]
    public static partial void LogMetersUnavailable(this ILogger logger, string reason);

    [LoggerMessage(
        1,
        LogLevel.Warning,
        "{Error} This is logged again if the error changes, or returns after a success.",
        EventName = "OtlpExportFailed")]
    public static partial void LogExportFailed(this ILogger logger, string error);

    [LoggerMessage(2, LogLevel.Warning, "The CPU time of requests is not measured: {Reason}", EventName = "CpuTimeUnavailable")]
    public static partial void LogUnavailable(this ILogger logger, string reason);

    [LoggerMessage(1, LogLevel.Warning, "Requests above the CPU budget have no CPU profile: {Reason}", EventName = "ProfilingUnavailable")]
    public static partial void LogProfilingUnavailable(this ILogger logger, string reason);

    [LoggerMessage(1, LogLevel.Warning, "The CPU time of spans is not measured: {Reason}", EventName = "SpansUnavailable")]
    public static partial void LogSpansUnavailable(this ILogger logger, string reason);

    [LoggerMessage(
        2,
        LogLevel.Warning,
        "The source {Source} already had a listener when AddPicolloSpans() was called. If it is a tracer, exporters that export a span as "
            + "soon as it stops get only one tag of its CPU time, as text. Call AddPicolloSpans() before the tracer is built",
        EventName = "LateSource")]
    public static partial void LogLateSource(this ILogger logger, string source);
}
