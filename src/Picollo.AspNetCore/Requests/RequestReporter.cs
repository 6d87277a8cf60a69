using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Requests;

/// <summary>Tells what a request took, when it has ended: to its route's histograms, the instrument and the log.</summary>
internal sealed partial class RequestReporter(
    RouteTable routes, CpuTimeInstrument instrument, IOptions<PicolloOptions> options, ILoggerFactory loggers)
{
    /// <summary>The category of all that is logged of requests.</summary>
    public const string LogCategory = "Picollo.AspNetCore.CpuUsage";

    // An application may make endpoints anew while it runs.
    private readonly ConditionalWeakTable<Endpoint, EndpointUsage> _endpoints = [];

    private readonly ILogger _logger = loggers.CreateLogger(LogCategory);
    private readonly long _budgetNanoseconds = options.Value.CpuBudget is { } budget ? (long)budget.TotalNanoseconds : long.MaxValue;

    private bool? _canMeasure;

    /// <summary>Whether this machine reports the CPU time of threads; logs the reason once if it does not.</summary>
    /// <remarks>For the time when pipelines are built, on one thread.</remarks>
    public bool CanMeasure => _canMeasure ??= TryMeasure();

    /// <summary>Throws if requests cannot be measured; tests replace it.</summary>
    internal Action Probe { get; set; } = static () => new CpuUsageAsyncWatcher().Dispose();

    /// <summary>Adds a request to its route's histograms and reports it to the instrument and the log. Exceptions of listeners and
    /// loggers are ignored, because the request has been served; others are defects of this package, and thrown.</summary>
    public void Report(HttpContext context, in RequestUsage usage, Exception? failure)
    {
        string method = KnownMethods.NameOf(context.Request.Method);
        EndpointUsage? endpoint = RequestEndpoint.Of(context) is { } matched
            ? _endpoints.GetValue(matched, static matched => new(matched))
            : null;
        RouteUsage ofRoute = endpoint is null ? routes.Get(method, RouteTable.Unmatched) : endpoint.Get(routes, method);
        ofRoute.Record(usage, endpoint is { IsEndless: true });
        bool isOverBudget = usage.CpuNanoseconds > _budgetNanoseconds;
        if (!isOverBudget && !instrument.IsEnabled)
        {
            return;
        }

        int status = RequestStatus.Of(context, failure);
        instrument.Record(usage, method, endpoint?.Route, status);
        if (isOverBudget)
        {
            TryLogOverBudget(usage, method, endpoint?.Route ?? RouteTable.Unmatched, status);
        }
    }

    private void TryLogOverBudget(in RequestUsage usage, string method, string route, int status)
    {
        try
        {
            LogOverBudget(_logger, method, route, usage.CpuNanoseconds / 1e6, usage.WallNanoseconds / 1e6, status);
        }
        catch (Exception)
        {
            // A logger's.
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
            TryLogUnavailable(e.Message);
            return false;
        }
    }

    private void TryLogUnavailable(string reason)
    {
        try
        {
            LogUnavailable(_logger, reason);
        }
        catch (Exception)
        {
            // A logger's.
        }
    }

    [LoggerMessage(
        1,
        LogLevel.Warning,
        "{Method} {Route} took {CpuMilliseconds:0.###} ms of CPU time in {WallMilliseconds:0.###} ms and ended with {StatusCode}",
        EventName = "OverCpuBudget")]
    private static partial void LogOverBudget(
        ILogger logger, string method, string route, double cpuMilliseconds, double wallMilliseconds, int statusCode);

    [LoggerMessage(2, LogLevel.Warning, "The CPU time of requests is not measured: {Reason}", EventName = "CpuTimeUnavailable")]
    private static partial void LogUnavailable(ILogger logger, string reason);
}
