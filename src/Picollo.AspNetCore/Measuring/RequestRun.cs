using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http.Features;

namespace Picollo.AspNetCore.Measuring;

/// <summary>A measured request. Records its endpoint and branch while it runs.</summary>
/// <remarks>The object is the request's <see cref="IEndpointFeature"/>, through which routing sets the endpoint. The endpoint must be
/// recorded at that moment, because error pages and branches restore their changes before the pipeline returns. The object also passes
/// aborts and resets of the application on to the server, because they look like a disconnection of the client afterwards. Objects are not
/// reused, because the application may keep a feature: a late call must not affect a request of another client.</remarks>
internal sealed class RequestRun : Run, IEndpointFeature, IHttpRequestLifetimeFeature, IHttpResetFeature
{
    private static readonly TimeSpan RoutingTimeout = TimeSpan.FromSeconds(1);

    // NO_ERROR of HTTP/2 and HTTP/3. A server that has sent a complete response uses it to end the body of the request.
    private const int Http2NoError = 0, Http3NoError = 0x100;

    private readonly HttpContext _context;
    private readonly RequestReporter _reporter;
    private readonly BranchPrefixes _prefixes;
    private readonly IEndpointFeature? _before;
    private readonly IHttpRequestLifetimeFeature? _lifetime;
    private readonly IHttpResetFeature? _reset;
    private readonly string _base;
    private readonly string? _path;
    private Endpoint? _current;
    private RouteKey? _requested;
    private CancellationToken _serverToken; // if it was replaced
    private bool _isTokenReplaced;
    private bool _hasEnded;

    private RequestRun(HttpContext context, IEndpointFeature? before, BranchPrefixes prefixes, RequestReporter reporter)
    {
        (_context, _before, _prefixes, _reporter) = (context, before, prefixes, reporter);
        _base = context.Request.PathBase.Value ?? "";
        _current = before?.Endpoint;
        _path = reporter.ShowsPaths ? context.Request.Path.Value : null;
        Method = RouteTable.MethodOf(context.Request.Method);

        // Read here, because a WebSocket is accepted later, and other threads must not access the request's features.
        IsUpgrade = Method == "CONNECT" || context.Request.Headers.Upgrade.Count > 0;
        if (Method == "POST" && context.Request.ContentType is { } type && GrpcStatus.IsGrpc(type))
        {
            StartGrpc(type);
        }

        if (_current is not null)
        {
            SetRequested(_current, "");
        }

        context.Features.Set<IEndpointFeature>(this);
        _lifetime = context.Features.Get<IHttpRequestLifetimeFeature>();
        if (_lifetime is not null)
        {
            context.Features.Set<IHttpRequestLifetimeFeature>(this);
        }

        // HTTP/1.1 has no reset.
        _reset = HttpProtocol.IsHttp11(context.Request.Protocol) ? null : context.Features.Get<IHttpResetFeature>();
        if (_reset is not null)
        {
            context.Features.Set<IHttpResetFeature>(this);
        }
    }

    /// <summary>The method, or <see cref="RouteTable.OtherMethod"/>.</summary>
    public string Method { get; }

    /// <summary>The key of the requested endpoint; null if the request has no endpoint.</summary>
    /// <remarks>Any thread may read it while the request runs.</remarks>
    public RouteKey? Requested => Volatile.Read(ref _requested);

    /// <summary>Whether a middleware for static files has answered.</summary>
    public bool IsStaticFile { get; private set; }

    /// <summary>Whether the request was rejected because the queue of the CPU workers was full.</summary>
    public bool IsRejected { get; private set; }

    /// <summary>Whether the request is a gRPC call, over gRPC-Web too.</summary>
    public bool IsGrpc { get; private set; }

    /// <summary>Whether the client requested to upgrade the connection, such as to a WebSocket.</summary>
    public bool IsUpgrade { get; }

    /// <summary>Whether the application has aborted or reset the response while its client was connected.</summary>
    public bool IsAbortedByServer { get; private set; }

    /// <summary>The server's token, which is canceled when the client disconnects or the application aborts the request. The application
    /// may have replaced the token of the request, such as by one with a timeout.</summary>
    public CancellationToken RequestAborted =>
        _isTokenReplaced ? _serverToken : _lifetime?.RequestAborted ?? _context.RequestAborted;

    /// <summary>The trailers that the gRPC-Web middleware writes to the body; null if there are none.</summary>
    public IHeaderDictionary? WebTrailers { get; private set; }

    /// <summary>Returns the longest branch prefix of a path; empty if it has none.</summary>
    public string BranchOf(PathString path) => _prefixes.FindIn(path);

    Endpoint? IEndpointFeature.Endpoint
    {
        get => _current;
        set
        {
            _current = value;

            // An error page clears the endpoint and then runs the pipeline again for its own path.
            if (value is not null && !_hasEnded && !IsRunAgain())
            {
                string all = _context.Request.PathBase.Value ?? "";
                SetRequested(value, _prefixes.Find(all.StartsWith(_base, StringComparison.Ordinal) ? all[_base.Length..] : all));
            }
        }
    }

    CancellationToken IHttpRequestLifetimeFeature.RequestAborted
    {
        get => _lifetime?.RequestAborted ?? CancellationToken.None;
        set
        {
            if (_lifetime is { } lifetime)
            {
                (_serverToken, _isTokenReplaced) = (RequestAborted, true);
                lifetime.RequestAborted = value;
            }
        }
    }

    void IHttpRequestLifetimeFeature.Abort()
    {
        MarkAborted();
        _lifetime?.Abort();
    }

    void IHttpResetFeature.Reset(int errorCode)
    {
        if (errorCode is not (Http2NoError or Http3NoError))
        {
            MarkAborted();
        }

        _reset?.Reset(errorCode);
    }

    /// <summary>Returns null if an outer middleware measures the request, or if an error page runs the pipeline again after it.</summary>
    public static RequestRun? Start(HttpContext context, BranchPrefixes prefixes, RequestReporter reporter)
    {
        IEndpointFeature? before = context.Features.Get<IEndpointFeature>();
        if (before is RequestRun || context.Features.Get<MeasuredMark>() is not null)
        {
            return null;
        }

        return new RequestRun(context, before, prefixes, reporter);
    }

    /// <summary>Restores the feature of the request, and marks the request as measured, so that an error page around the pipeline is not
    /// measured.</summary>
    public void End()
    {
        _hasEnded = true;
        _context.Features.Set(_before);
        _context.SetEndpoint(_current);
        if (_lifetime is not null)
        {
            _context.Features.Set(_lifetime);
        }

        if (_reset is not null)
        {
            _context.Features.Set(_reset);
        }

        _context.Features.Set(MeasuredMark.Instance);
    }

    /// <summary>Sets the label of the request for CPU profiles from what is known so far. The watcher must be running.</summary>
    public void SetLabel()
    {
        if (Watcher is { } watcher)
        {
            watcher.Label = _requested?.LabelOf(IsLongLived(_requested)) ?? RouteTable.Unrouted;
        }
    }

    public override RunReading? Describe()
    {
        if (Requested is not { } requested)
        {
            // Routing may not have run yet.
            return Watcher!.WallTime < RoutingTimeout
                ? null
                : new RunReading(
                    _reporter.Routes.Get(RouteTable.UndeclaredMethodOf(Method), RouteTable.NoEndpoint), IsUpgrade, _path);
        }

        bool isLongLived = IsLongLived(requested);
        return requested.Endpoint.IsExcluded || requested.Endpoint.IsPage
            ? null
            : new RunReading(requested.Get(_reporter.Routes, isLongLived), isLongLived, _path);
    }

    public static void MarkStaticFile(HttpContext context)
    {
        if (context.Features.Get<IEndpointFeature>() is RequestRun request && !request.IsRunAgain())
        {
            request.IsStaticFile = true;
        }
    }

    public static void MarkRejected(HttpContext context)
    {
        if (context.Features.Get<IEndpointFeature>() is RequestRun request)
        {
            request.IsRejected = true;
        }
    }

    private void SetRequested(Endpoint endpoint, string prefix)
    {
        Volatile.Write(ref _requested, _reporter.EndpointOf(endpoint).In(Method, prefix));
        SetLabel();
    }

    // If the client has disconnected before, the application only reacts to it.
    private void MarkAborted() => IsAbortedByServer |= _lifetime is not null && !RequestAborted.IsCancellationRequested;

    /// <summary>Prepares to read the status of a gRPC call at its end. The trailers of a gRPC-Web response are accessible only while its
    /// middleware runs: in particular, when the response starts.</summary>
    private void StartGrpc(string contentType)
    {
        IsGrpc = true;
        if (GrpcStatus.IsGrpcWeb(contentType) && !_context.Response.HasStarted)
        {
            _context.Response.OnStarting(
                static state =>
                {
                    RequestRun request = (RequestRun)state;
                    request.WebTrailers = request._context.Features.Get<IHttpResponseTrailersFeature>()?.Trailers;
                    return Task.CompletedTask;
                },
                this);
        }
    }

    private bool IsLongLived(RouteKey requested) => IsUpgrade || requested.Endpoint.IsLongLived(Method);

    private bool IsRunAgain() =>
        _context.Features.Get<IExceptionHandlerFeature>() is not null || _context.Features.Get<IStatusCodeReExecuteFeature>() is not null;

    /// <summary>The feature that marks a request as measured. The server removes it when the request ends.</summary>
    internal sealed class MeasuredMark
    {
        public static readonly MeasuredMark Instance = new();
    }
}
