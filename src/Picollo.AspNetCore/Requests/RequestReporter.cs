using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Requests;

/// <summary>Reports what a request took to its route's histograms, the instrument and the log.</summary>
/// <remarks>Exceptions of metric listeners and loggers are ignored, because the request has been served. Other exceptions are defects of
/// this package, and thrown.</remarks>
internal sealed partial class RequestReporter(
    RouteTable routes, CpuTimeInstrument instrument, IOptions<PicolloOptions> options, ILoggerFactory loggers)
{
    public const string LogCategory = "Picollo.AspNetCore.CpuUsage";

    // A key of the framework that is not public; the server's own metrics read it, too (ApplicationBuilder).
    private const string RequestUnhandledKey = "__RequestUnhandled";

    // Weak, because an application may replace its endpoints while it runs.
    private readonly ConditionalWeakTable<Endpoint, EndpointUsage> _endpoints = [];

    private readonly ILogger _logger = loggers.CreateLogger(LogCategory);
    private readonly long _budgetNanoseconds = options.Value.CpuBudget is { } budget ? (long)budget.TotalNanoseconds : long.MaxValue;
    private bool? _canMeasure;
    private bool _hasLoggedFull;

    /// <summary>Whether this machine reports the CPU time of threads; if it does not, the reason is logged once.</summary>
    /// <remarks>Read when a pipeline is built, on one thread.</remarks>
    public bool CanMeasure => _canMeasure ??= TryMeasure();

    /// <summary>Throws if requests cannot be measured; tests replace it.</summary>
    internal Action Probe { get; set; } = static () => new CpuUsageAsyncWatcher().Dispose();

    /// <summary>Counts a request that has ended, or failed by what the pipeline threw.</summary>
    public void Report(HttpContext context, MeasuredRequest request, in RequestUsage usage, Exception? failure)
    {
        string method = RouteTable.MethodOf(context.Request.Method);
        EndpointUsage? endpoint = request.Requested is { } requested && !request.IsStaticFile
            ? _endpoints.GetValue(requested, static requested => new(requested))
            : null;
        if (endpoint is { IsExcluded: true } || context.Features.Get<IHttpMetricsTagsFeature>() is { MetricsDisabled: true })
        {
            return;
        }

        bool isLongLived = endpoint is not null && endpoint.IsLongLived(method) || IsLongLived(context);
        RouteUsage row = endpoint?.Get(routes, method, request.Prefix, isLongLived)
            ?? routes.Get(method, RouteTable.NameOf(NameWithoutEndpoint(context, request), isLongLived));
        int status = StatusOf(context, failure);
        bool isRejected = request.IsRefused || status == StatusCodes.Status429TooManyRequests;
        row.Record(usage, ClassOf(context, failure, status), isRejected);
        if (row.Route == RouteTable.Other && !Interlocked.Exchange(ref _hasLoggedFull, true))
        {
            TryLog(() => LogFull(_logger, options.Value.MaxRoutes));
        }

        bool isOverBudget = usage.CpuNanoseconds > _budgetNanoseconds;
        if (isOverBudget || instrument.IsEnabled)
        {
            instrument.Record(usage, method, endpoint?.Route is null ? null : endpoint.RouteIn(request.Prefix), status);
            if (isOverBudget)
            {
                TryLogOverBudget(usage, method, endpoint?.RouteIn(request.Prefix) ?? NameWithoutEndpoint(context, request), status);
            }
        }
    }

    private static string NameWithoutEndpoint(HttpContext context, MeasuredRequest request) =>
        request.IsStaticFile ? RouteTable.StaticFiles
        : IsUnhandled(context) ? RouteTable.Unhandled
        : request.BranchOf(context.Request.Path) is { Length: > 0 } branch ? $"{branch} {RouteTable.NoEndpoint}"
        : RouteTable.NoEndpoint;

    // Not by context.Items, which would allocate items for a request without any.
    private static bool IsUnhandled(HttpContext context) =>
        context.Features.Get<IItemsFeature>()?.Items is { Count: > 0 } items && items.ContainsKey(RequestUnhandledKey);

    /// <summary>The status code that the request ends with, as far as it is known when the pipeline has returned.</summary>
    /// <remarks>The server answers what the application has thrown later, and logs 499 for a request that was aborted before its response
    /// started.</remarks>
    private static int StatusOf(HttpContext context, Exception? failure) =>
        context.Response.HasStarted ? context.Response.StatusCode
        : context.RequestAborted.IsCancellationRequested ? StatusCodes.Status499ClientClosedRequest
        : failure switch
        {
            null => context.Response.StatusCode,
            BadHttpRequestException badRequest => badRequest.StatusCode,
            _ => StatusCodes.Status500InternalServerError,
        };

    // A client may also disconnect when it has all of a response; the pipeline has then not returned yet, and does so without failing.
    private static ResponseClass ClassOf(HttpContext context, Exception? failure, int status) =>
        (failure is not null || !context.Response.HasStarted) && context.RequestAborted.IsCancellationRequested ? ResponseClass.Aborted
        : (ResponseClass)(Math.Clamp(status / 100, 1, 5) - 1);

    // WebSockets over HTTP/1.1 and HTTP/2, and server-sent events.
    private static bool IsLongLived(HttpContext context) =>
        context.Response.StatusCode == StatusCodes.Status101SwitchingProtocols
        || context.Features.Get<IHttpExtendedConnectFeature>() is { IsExtendedConnect: true }
        || context.Response.ContentType is { } type && type.StartsWith("text/event-stream", StringComparison.OrdinalIgnoreCase);

    // Apart, because a method that has a closure allocates it whether or not it is used.
    private void TryLogOverBudget(RequestUsage usage, string method, string route, int status) =>
        TryLog(() => LogOverBudget(_logger, method, route, usage.CpuNanoseconds / 1e6, usage.WallNanoseconds / 1e6, status));

    private static void TryLog(Action log)
    {
        try
        {
            log();
        }
        catch (Exception)
        {
            // Thrown by a logger.
        }
    }

    private bool TryMeasure()
    {
        try
        {
            Probe();
            return true;
        }
        catch (MeasurementUnavailableException e)
        {
            TryLog(() => LogUnavailable(_logger, e.Message));
            return false;
        }
    }

    [LoggerMessage(
        1,
        LogLevel.Warning,
        "{Method} {Route} took {CpuMilliseconds:0.###} ms of CPU time in {WallMilliseconds:0.###} ms and ended with {StatusCode}",
        EventName = "OverCpuBudget")]
    private static partial void LogOverBudget(
        ILogger logger, string method, string route, double cpuMilliseconds, double wallMilliseconds, int statusCode);

    [LoggerMessage(
        3,
        LogLevel.Warning,
        "The table of routes is full ({MaxRoutes} rows): requests of further routes count as (other). See PicolloOptions.MaxRoutes",
        EventName = "RouteTableFull")]
    private static partial void LogFull(ILogger logger, int maxRoutes);

    [LoggerMessage(2, LogLevel.Warning, "The CPU time of requests is not measured: {Reason}", EventName = "CpuTimeUnavailable")]
    private static partial void LogUnavailable(ILogger logger, string reason);
}
