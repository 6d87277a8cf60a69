using System.Collections.Concurrent;
using System.Diagnostics;
using Microsoft.AspNetCore.Http.Features;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Measuring;

/// <summary>Reports the values of a request that has ended to the row of its route, the instrument and the log.</summary>
/// <remarks>Exceptions of metric listeners and loggers are ignored, because the request has been served. Other exceptions are defects of
/// this package and are thrown.</remarks>
internal sealed class RequestReporter : IDisposable
{
    public const string LogCategory = "Picollo.AspNetCore.CpuUsage";

    private const int MaxOverLatencyBudget = 32;

    private static readonly string[] SpanTags = [.. LatencyStateValues.Disjoint.Select(state => $"picollo.time.{state.Name()}")];

    private static readonly TimeSpan BudgetInterval = TimeSpan.FromSeconds(1);

    // A key of the framework that is not public. ApplicationBuilder sets it, and the server's own metrics read it.
    private const string RequestUnhandledKey = "__RequestUnhandled";

    // Weak references, because an application may replace its endpoints while it runs.
    private readonly ConditionalWeakTable<Endpoint, EndpointInfo> _endpoints = [];

    // It has the same name, and therefore the same listeners, as the source that starts the spans of requests.
    // Not static, because listeners of the application may throw.
    private readonly ActivitySource _requestSource = new("Microsoft.AspNetCore");

    private readonly CpuTimeInstrument _instrument;
    private readonly ILogger _logger;
    private readonly long _cpuBudget; // in nanoseconds; long.MaxValue for none
    private readonly long _latencyBudget;
    private readonly bool _isMeasuredAfterEnd;
    private readonly TimeProvider _time;
    private readonly ITimer? _budgetTimer;
    private readonly Lazy<bool> _canMeasure;
    private readonly ConcurrentQueue<KeptRequest> _overLatencyBudget = new();
    private bool _hasLoggedFull;

    public RequestReporter(
        RouteTable routes,
        RunList running,
        CpuTimeInstrument instrument,
        IOptions<PicolloOptions> options,
        ILoggerFactory loggers,
        TimeProvider time)
    {
        (Routes, Running, _instrument, _time) = (routes, running, instrument, time);
        _logger = loggers.CreateLogger(LogCategory);
        _isMeasuredAfterEnd = options.Value.Requests.MeasureAfterResponse;
        ShowsPaths = options.Value.Requests.ShowPaths;
        _canMeasure = new(TryMeasure);
        _cpuBudget = (long?)options.Value.Requests.CpuBudget?.TotalNanoseconds ?? long.MaxValue;
        _latencyBudget = (long?)options.Value.Requests.LatencyBudget?.TotalNanoseconds ?? long.MaxValue;
        Late = new LateLatencies(time);
        if (Math.Min(_cpuBudget, _latencyBudget) < long.MaxValue)
        {
            _budgetTimer = time.CreateTimer(static self => ((RequestReporter)self!).CheckBudgets(), this, BudgetInterval, BudgetInterval);
        }
    }

    public RouteTable Routes { get; }

    public RunList Running { get; }

    public bool ShowsPaths { get; }

    /// <summary>Adds the states of requests and named work to their rows.</summary>
    public LateLatencies Late { get; }

    /// <summary>The last requests above the budget of the latency, the latest first; null without a budget.</summary>
    public IReadOnlyList<KeptRequest>? OverLatencyBudget => _latencyBudget == long.MaxValue ? null : [.. _overLatencyBudget.Reverse()];

    /// <summary>Whether this machine reports the CPU time of threads. If it does not, the reason is logged once.</summary>
    public bool CanMeasure => _canMeasure.Value;

    /// <summary>A delegate that throws if requests cannot be measured. Tests replace it.</summary>
    internal Action Probe { get; set; } = static () => new CpuUsageAsyncWatcher().Dispose();

    public EndpointInfo EndpointOf(Endpoint endpoint) => _endpoints.GetValue(endpoint, static endpoint => new(endpoint));

    /// <summary>Stops measuring a request that has ended, and counts it. Restores the execution context with which it arrived.</summary>
    public void End(
        HttpContext context, RequestRun request, CpuUsageAsyncWatcher watcher, ExecutionContext before, Exception? failure)
    {
        RouteRow? row = null;
        try
        {
            row = RowOf(context, request);
        }
        finally
        {
            watcher.Label = row?.Label ?? FlowLabel.None;
            ExecutionContext.Restore(before); // directly before the stop, so that no time is between the two
            OpenSegments? open = watcher.StopFor(_isMeasuredAfterEnd ? row?.AfterEnd : null, waits: row is not null);
            (long counted, Budgets reported) = Running.Remove(request);
            if (row is not null)
            {
                Report(context, request, row, new RunValues(watcher, open, context.Request), counted, reported, failure);
            }
        }
    }

    public void Dispose()
    {
        _budgetTimer?.Dispose();
        Late.Dispose();
        _requestSource.Dispose();
    }

    /// <summary>Returns the row of a request that has ended; null if the request is excluded.</summary>
    private RouteRow? RowOf(HttpContext context, RequestRun request)
    {
        RouteKey? requested = request.IsStaticFile ? null : request.Requested;
        if (requested?.Endpoint.IsExcluded == true || context.Features.Get<IHttpMetricsTagsFeature>() is { MetricsDisabled: true })
        {
            return null;
        }

        bool isLongLived = requested?.Endpoint.IsLongLived(request.Method) == true || IsLongLived(context, request);
        return requested?.Get(Routes, isLongLived)
            ?? Routes.Get(
                RouteTable.UndeclaredMethodOf(request.Method), RouteTable.NameOf(NameWithoutEndpoint(context, request), isLongLived));
    }

    internal void Report(
        HttpContext context,
        RequestRun request,
        RouteRow row,
        in RunValues run,
        long counted,
        Budgets reported,
        Exception? failure)
    {
        TimeSpan elapsed = TimeSpan.FromTicks(run.WallNanoseconds / TimeSpan.NanosecondsPerTick);
        Outcome outcome = Outcome.FromRequest(context, request, failure, elapsed);
        bool isRejected = request.IsRejected || outcome.Status == StatusCodes.Status429TooManyRequests;
        row.Record(run, outcome, isRejected, counted);
        if (!isRejected && row.Admits(run, outcome) && TryKeep(context, row, run, outcome) is { } kept)
        {
            row.Add(kept);
        }

        if (run.Timed is not null)
        {
            bool isOver = run.WallNanoseconds > _latencyBudget && row != Routes.Page && !IsLongLived(request, row);
            AddLatency(context, row, run, outcome, isRejected, isOver, (reported & Budgets.Latency) == 0);
        }

        if (row.Route == RouteTable.Other && !Interlocked.Exchange(ref _hasLoggedFull, true))
        {
            TryLog(() => _logger.LogFull(Routes.Capacity));
        }

        if (row == Routes.Page)
        {
            return;
        }

        RouteKey? requested = request.IsStaticFile ? null : request.Requested;
        if (_instrument.IsEnabled)
        {
            _instrument.Record(run, request.Method, requested?.Endpoint.Route is null ? null : requested.Route, outcome);
        }

        if (run.CpuNanoseconds > _cpuBudget && (reported & Budgets.Cpu) == 0)
        {
            TryLogOverBudget(run, request.Method, requested?.Route ?? NameWithoutEndpoint(context, request), outcome.Status);
        }
    }

    /// <summary>Returns the request with its trace, or, if its states are measured, without one; otherwise null.</summary>
    // A trace that the application's tracer does not sample is not stored anywhere. Without a tracer, the logs contain the trace ID.
    private KeptRequest? TryKeep(HttpContext context, RouteRow row, in RunValues run, in Outcome outcome)
    {
        Activity? activity = context.Features.Get<IHttpActivityFeature>()?.Activity;
        bool isStored = activity is { IdFormat: ActivityIdFormat.W3C } && (activity.Recorded || !_requestSource.HasListeners());
        string traceId = isStored ? activity!.TraceId.ToHexString() : "", spanId = isStored ? activity!.SpanId.ToHexString() : "";
        return isStored || run.Timed is not null
            ? new(row, outcome, run.WallNanoseconds, run.CpuNanoseconds, _time.GetUtcNow(), traceId, spanId) { Timed = run.Timed }
            : null;
    }

    private void AddLatency(
        HttpContext context, RouteRow row, in RunValues run, in Outcome outcome, bool isRejected, bool isOverBudget, bool isLogged)
    {
        Action<LatencyBreakdown>? onKnown = null;
        if (isOverBudget && TryKeep(context, row, run, outcome) is { } kept)
        {
            onKnown = LogOverBudget(kept, isLogged);
        }

        LatencyBreakdown known = Late.Add(isRejected ? null : row, run.Timed!, onKnown);
        if (context.Features.Get<IHttpActivityFeature>()?.Activity is { Recorded: true } activity)
        {
            SetTags(activity, known);
        }
    }

    /// <summary>Adds the states that are not 0 to a span. It ends before the waits for the last locks are known, so they are in
    /// <c>blocked</c>.</summary>
    private static void SetTags(Activity activity, in LatencyBreakdown breakdown)
    {
        for (int i = 0; i < SpanTags.Length; i++)
        {
            if (breakdown.GetNanoseconds(LatencyStateValues.Disjoint[i]) is > 0 and var nanoseconds)
            {
                activity.SetTag(SpanTags[i], nanoseconds / 1e9);
            }
        }
    }

    // A separate method, because a method with a closure always allocates it.
    private Action<LatencyBreakdown> LogOverBudget(KeptRequest kept, bool isLogged) => states =>
    {
        _overLatencyBudget.Enqueue(kept);
        if (_overLatencyBudget.Count > MaxOverLatencyBudget)
        {
            _overLatencyBudget.TryDequeue(out _);
        }

        if (isLogged)
        {
            TryLog(() => _logger.LogOverLatencyBudget(kept.Row.Method, kept.Row.Route, states, kept.Outcome.Status));
        }
    };

    private static bool IsLongLived(RequestRun request, RouteRow row) => request.IsUpgrade || RouteTable.IsLongLived(row.Route);

    /// <summary>Logs running requests that have exceeded the budget, each request once.</summary>
    private void CheckBudgets()
    {
        foreach (RunReading run in Running.Read())
        {
            if (run.Row is not RouteRow row)
            {
                continue;
            }

            if (run.CpuNanoseconds > _cpuBudget && Running.TryMarkReported(run, Budgets.Cpu))
            {
                TryLog(() => _logger.LogOverBudgetWhileRunning(row.Method, row.Route, run.CpuNanoseconds / 1e6, run.Age.TotalMilliseconds));
            }

            bool isLate = run.Age.TotalNanoseconds > _latencyBudget && row != Routes.Page && !run.IsLongLived;
            if (isLate && Running.TryMarkReported(run, Budgets.Latency))
            {
                TryLog(() => _logger.LogOverLatencyBudgetWhileRunning(row.Method, row.Route, run.Watcher!.GetLatencyBreakdown()));
            }
        }
    }

    private static string NameWithoutEndpoint(HttpContext context, RequestRun request) =>
        request.IsStaticFile ? RouteTable.StaticFiles
        : IsUnhandled(context) ? RouteTable.Unhandled
        : request.BranchOf(context.Request.Path) is { Length: > 0 } branch ? $"{branch} {RouteTable.NoEndpoint}"
        : RouteTable.NoEndpoint;

    // Does not use context.Items, which allocates the items of a request that has none.
    private static bool IsUnhandled(HttpContext context) =>
        context.Features.Get<IItemsFeature>()?.Items is { Count: > 0 } items && items.ContainsKey(RequestUnhandledKey);

    // WebSockets over HTTP/1.1 and HTTP/2, and server-sent events.
    private static bool IsLongLived(HttpContext context, RequestRun request) =>
        context.Response.StatusCode == StatusCodes.Status101SwitchingProtocols
        || request.Method == "CONNECT" && context.Features.Get<IHttpExtendedConnectFeature>() is { IsExtendedConnect: true }
        || context.Response.ContentType is { } type && type.StartsWith("text/event-stream", StringComparison.OrdinalIgnoreCase);

    // A separate method, because a method with a closure always allocates it, even if the closure is not used.
    private void TryLogOverBudget(RunValues run, string method, string route, int status) =>
        TryLog(() => _logger.LogOverBudget(method, route, run.CpuNanoseconds / 1e6, run.WallNanoseconds / 1e6, status));

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
            TryLog(() => _logger.LogUnavailable(e.Message));
            return false;
        }
    }
}
