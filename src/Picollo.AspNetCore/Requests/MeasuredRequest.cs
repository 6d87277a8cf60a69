using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Picollo.AspNetCore.Work;

namespace Picollo.AspNetCore.Requests;

/// <summary>A request that is measured: notes which endpoint it came for, and in which branch, while it runs.</summary>
/// <remarks>It is the request's <see cref="IEndpointFeature"/>, through which routing sets the endpoint. Error pages and branches restore
/// what they have changed before the pipeline returns, so it is too late then. Objects are used again: nothing but the request's features
/// refers to them.</remarks>
internal sealed class MeasuredRequest : RunningWork, IEndpointFeature
{
    private static readonly TimeSpan LongestUntilRouting = TimeSpan.FromSeconds(1);

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

    /// <summary>What the endpoint that the request came for counts for; null if there was none.</summary>
    /// <remarks>Any thread may read it while the request runs.</remarks>
    public RouteKey? Requested => Volatile.Read(ref _requested);

    /// <summary>Whether a middleware for static files has answered.</summary>
    public bool IsStaticFile { get; private set; }

    /// <summary>Whether the queue of the CPU workers was full.</summary>
    public bool IsRefused { get; private set; }

    /// <summary>The longest literal prefix of a path; empty if it has none.</summary>
    public string BranchOf(PathString path) => _prefixes.FindIn(path);

    Endpoint? IEndpointFeature.Endpoint
    {
        get => _current;
        set
        {
            _current = value;

            // An error page runs the pipeline again, for its own path, and clears the endpoint before it does.
            if (value is not null && !IsRunAgain())
            {
                string all = _context.Request.PathBase.Value ?? "";
                SetRequested(value, all.Length > _base.Length ? _prefixes.Find(all[_base.Length..]) : "");
            }
        }
    }

    /// <summary>Starts a request, unless it is measured already.</summary>
    /// <returns>Null if it is, by an outer middleware, or was, if an error page runs the pipeline again.</returns>
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

        // WebSockets are accepted later, and other threads must not read what the request has become.
        request._isUpgrade = request.Method == "CONNECT" || context.Request.Headers.Upgrade.Count > 0;
        if (request._current is { } current)
        {
            request.SetRequested(current, "");
        }

        context.Features.Set<IEndpointFeature>(request);
        return request;
    }

    /// <summary>Ends the request: gives its feature back, and marks it, so that an error page around the pipeline is not measured. The last
    /// call.</summary>
    public void End()
    {
        _context.Features.Set(_before);
        _context.SetEndpoint(_current);
        _context.Features.Set(MeasuredMark.Instance);
        (_context, _reporter, _before, _current, _requested, _path) = (null!, null!, null, null, null, null);
        (IsStaticFile, IsRefused) = (false, false);
        _free = this;
    }

    /// <summary>Notes for CPU profiles what the request is for, as far as it is known. Its watcher runs.</summary>
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
            // Routing may still come.
            return Watcher!.WallTime < LongestUntilRouting
                ? null
                : new RunDescription(_reporter.Routes.Get(Method, RouteTable.NoEndpoint), _isUpgrade, _path);
        }

        bool isLongLived = IsLongLived(requested);
        return requested.Endpoint.IsExcluded || requested.Endpoint.IsPage
            ? null
            : new RunDescription(requested.Get(_reporter.Routes, isLongLived), isLongLived, _path);
    }

    /// <summary>Notes that a static file is the answer.</summary>
    public static void NoteStaticFile(HttpContext context)
    {
        if (context.Features.Get<IEndpointFeature>() is MeasuredRequest request && !request.IsRunAgain())
        {
            request.IsStaticFile = true;
        }
    }

    /// <summary>Notes that the request did not get a CPU worker.</summary>
    public static void NoteRefusal(HttpContext context)
    {
        if (context.Features.Get<IEndpointFeature>() is MeasuredRequest request)
        {
            request.IsRefused = true;
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

/// <summary>The feature of a request that was measured. The server clears it with the request.</summary>
internal sealed class MeasuredMark
{
    public static readonly MeasuredMark Instance = new();
}
