using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Picollo.AspNetCore.Work;

namespace Picollo.AspNetCore.Requests;

/// <summary>A measured request. Records its endpoint and branch while it runs.</summary>
/// <remarks>The object is the request's <see cref="IEndpointFeature"/>, through which routing sets the endpoint. The endpoint must be
/// recorded at that moment, because error pages and branches restore their changes before the pipeline returns. Objects are reused, because
/// only the features of the request refer to them.</remarks>
internal sealed class MeasuredRequest : RunningWork, IEndpointFeature
{
    private static readonly TimeSpan RoutingTimeout = TimeSpan.FromSeconds(1);

    [ThreadStatic]
    private static MeasuredRequest? _free;

    private HttpContext _context = null!;
    private RequestReporter _reporter = null!;
    private BranchPrefixes _prefixes = null!;
    private IEndpointFeature? _before;
    private string _base = "";
    private Endpoint? _current;
    private RouteKey? _requested;
    private bool _isUpgrade;
    private string? _path;

    private MeasuredRequest()
    {
    }

    /// <summary>The method, or <see cref="RouteTable.OtherMethod"/>.</summary>
    public string Method { get; private set; } = "";

    /// <summary>The key of the requested endpoint; null if the request has no endpoint.</summary>
    /// <remarks>Any thread may read it while the request runs.</remarks>
    public RouteKey? Requested => Volatile.Read(ref _requested);

    /// <summary>Whether a middleware for static files has answered.</summary>
    public bool IsStaticFile { get; private set; }

    /// <summary>Whether the request was rejected because the queue of the CPU workers was full.</summary>
    public bool IsRejected { get; private set; }

    /// <summary>Returns the longest branch prefix of a path; empty if it has none.</summary>
    public string BranchOf(PathString path) => _prefixes.FindIn(path);

    Endpoint? IEndpointFeature.Endpoint
    {
        get => _current;
        set
        {
            _current = value;

            // An error page clears the endpoint and then runs the pipeline again for its own path.
            if (value is not null && !IsRunAgain())
            {
                string all = _context.Request.PathBase.Value ?? "";
                SetRequested(value, all.Length > _base.Length ? _prefixes.Find(all[_base.Length..]) : "");
            }
        }
    }

    /// <summary>Starts measuring a request.</summary>
    /// <returns>The request; null if an outer middleware measures it, or if it was measured and an error page runs the pipeline
    /// again.</returns>
    public static MeasuredRequest? Start(HttpContext context, BranchPrefixes prefixes, RequestReporter reporter)
    {
        IEndpointFeature? before = context.Features.Get<IEndpointFeature>();
        if (before is MeasuredRequest || context.Features.Get<MeasuredMark>() is not null)
        {
            return null;
        }

        MeasuredRequest request = _free ?? new MeasuredRequest();
        _free = null;
        request._context = context;
        request._reporter = reporter;
        request._prefixes = prefixes;
        request._before = before;
        request._base = context.Request.PathBase.Value ?? "";
        request._current = before?.Endpoint;
        request._path = reporter.ShowsPaths ? context.Request.Path.Value : null;
        request.Method = RouteTable.MethodOf(context.Request.Method);

        // Read here, because a WebSocket is accepted later, and other threads must not access the request's features.
        request._isUpgrade = request.Method == "CONNECT" || context.Request.Headers.Upgrade.Count > 0;
        if (request._current is { } current)
        {
            request.SetRequested(current, "");
        }

        context.Features.Set<IEndpointFeature>(request);
        return request;
    }

    /// <summary>Restores the feature of the request, and marks the request as measured, so that an error page around the pipeline is not
    /// measured. No other member may be called afterwards.</summary>
    public void End()
    {
        _context.Features.Set(_before);
        _context.SetEndpoint(_current);
        _context.Features.Set(MeasuredMark.Instance);
        (_context, _reporter, _before, _current, _requested, _path) = (null!, null!, null, null, null, null);
        (IsStaticFile, IsRejected) = (false, false);
        _free = this;
    }

    /// <summary>Sets the label of the request for CPU profiles from what is known so far. The watcher must be running.</summary>
    public void SetLabel()
    {
        if (Watcher is { } watcher)
        {
            watcher.Label = _requested?.LabelOf(IsLongLived(_requested)) ?? RouteTable.Unrouted;
        }
    }

    /// <inheritdoc/>
    public override RunDescription? Describe()
    {
        if (Requested is not { } requested)
        {
            // Routing may not have run yet.
            return Watcher!.WallTime < RoutingTimeout
                ? null
                : new RunDescription(_reporter.Routes.Get(Method, RouteTable.NoEndpoint), _isUpgrade, _path);
        }

        bool isLongLived = IsLongLived(requested);
        return requested.Endpoint.IsExcluded || requested.Endpoint.IsPage
            ? null
            : new RunDescription(requested.Get(_reporter.Routes, isLongLived), isLongLived, _path);
    }

    /// <summary>Records that the request is answered with a static file.</summary>
    public static void MarkStaticFile(HttpContext context)
    {
        if (context.Features.Get<IEndpointFeature>() is MeasuredRequest request && !request.IsRunAgain())
        {
            request.IsStaticFile = true;
        }
    }

    /// <summary>Records that the request was rejected because the queue of the CPU workers is full.</summary>
    public static void MarkRejected(HttpContext context)
    {
        if (context.Features.Get<IEndpointFeature>() is MeasuredRequest request)
        {
            request.IsRejected = true;
        }
    }

    private void SetRequested(Endpoint endpoint, string prefix)
    {
        Volatile.Write(ref _requested, _reporter.EndpointOf(endpoint).In(Method, prefix));
        SetLabel();
    }

    private bool IsLongLived(RouteKey requested) => _isUpgrade || requested.Endpoint.IsLongLived(Method);

    private bool IsRunAgain() =>
        _context.Features.Get<IExceptionHandlerFeature>() is not null || _context.Features.Get<IStatusCodeReExecuteFeature>() is not null;
}

/// <summary>The feature that marks a request as measured. The server removes it when the request ends.</summary>
internal sealed class MeasuredMark
{
    public static readonly MeasuredMark Instance = new();
}
