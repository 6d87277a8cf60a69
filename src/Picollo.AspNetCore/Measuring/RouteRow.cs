using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Measuring;

internal enum ResponseClass
{
    /// <summary>1xx. The connection was upgraded.</summary>
    Informational,

    /// <summary>2xx, or the gRPC status OK.</summary>
    Success,

    /// <summary>3xx.</summary>
    Redirection,

    /// <summary>4xx, or a gRPC status that reports an error of the client.</summary>
    ClientError,

    /// <summary>5xx, a gRPC status that reports an error of the server, or a response that failed after it started.</summary>
    ServerError,

    /// <summary>The client disconnected before the response started, the request failed after the client disconnected, or the client
    /// canceled the gRPC call.</summary>
    Aborted,
}

/// <summary>The row of the requests with a method and route pattern. Thread-safe.</summary>
/// <param name="method">A known method, or <see cref="RouteTable.OtherMethod"/>.</param>
/// <param name="route">The route pattern, never a path.</param>
/// <param name="options">The options that select the facts; null for the defaults.</param>
/// <param name="time">The clock of the slowest requests; null if they are not kept.</param>
internal sealed class RouteRow(string method, string route, PicolloRequestOptions? options = null, TimeProvider? time = null)
    : Row(route, options, method)
{
    // Further status codes share one series, so that a client cannot create an unlimited number of series.
    private const int MaxStatusCodes = 8;

    // A server chooses the gRPC status.
    private static readonly int MaxRpcStatuses = 2 * GrpcStatus.Count;

    private readonly Lock _gate = new();
    private readonly bool _hasExemplars = options?.CollectExemplars == true;
    private readonly long[] _responses = new long[(int)ResponseClass.Aborted + 1];
    private StatusDuration[] _durations = [];
    private StatusDuration? _rest; // of further status codes and types of errors
    private long _rejected;

    public string Method { get; } = method;

    public string Route => Name;

    /// <summary>The number of requests that were rejected by a rate limit (429) or by the queue of the CPU workers. The histograms do not
    /// contain them.</summary>
    public long Rejected => Interlocked.Read(ref _rejected);

    public long this[ResponseClass response] => Interlocked.Read(ref _responses[(int)response]);

    public long Responses => _responses.Index().Sum(response => this[(ResponseClass)response.Index]);

    /// <summary>The durations by status code, gRPC status and type of the error, for the combinations that have occurred.</summary>
    public IReadOnlyList<StatusDuration> Durations => Volatile.Read(ref _durations);

    /// <summary>The requests with the most CPU time and their traces; null if exemplars are not kept.</summary>
    public SlowestRequests? MostExpensive { get; } =
        options?.CollectExemplars == true && time is not null ? new(static request => request.CpuNanoseconds, time) : null;

    /// <summary>Returns whether a request that was counted would be kept.</summary>
    public bool Admits(in RunValues run, in Outcome outcome) => time is not null
        && (MostExpensive?.Admits(run.CpuNanoseconds) == true || DurationOf(outcome).Slowest!.Admits(run.WallNanoseconds));

    /// <summary>Keeps a request that was counted, if it is among the slowest.</summary>
    public void Add(KeptRequest request)
    {
        MostExpensive?.Add(request);
        DurationOf(request.Outcome).Slowest!.Add(request);
    }

    public void Record(in RunValues run) => Record(run, new(200, ResponseClass.Success));

    /// <param name="run">The values of the request.</param>
    /// <param name="outcome">The way in which the request ended.</param>
    /// <param name="isRejected">Whether the request was rejected before the application did its work. The percentiles then exclude
    /// it.</param>
    /// <param name="counted">The CPU time in nanoseconds that <see cref="Row.CountRunning"/> has already added.</param>
    public void Record(in RunValues run, in Outcome outcome, bool isRejected = false, long counted = 0)
    {
        Interlocked.Increment(ref _responses[(int)outcome.Class]);
        if (isRejected)
        {
            Interlocked.Increment(ref _rejected);
        }
        else
        {
            DurationOf(outcome).Record(run.WallNanoseconds);
        }

        Record(run, counted, isInPercentiles: !isRejected);
    }

    private StatusDuration DurationOf(in Outcome outcome) => Find(outcome) ?? Add(outcome);

    /// <returns>The durations of an outcome; null if they may have to be added.</returns>
    private StatusDuration? Find(in Outcome outcome)
    {
        StatusDuration[] known = Volatile.Read(ref _durations);
        foreach (StatusDuration duration in known)
        {
            if (duration.Outcome is { } other && other.HasLabelsOf(outcome))
            {
                return duration;
            }
        }

        return known.Length >= LimitOf(outcome) ? Volatile.Read(ref _rest) : null;
    }

    private StatusDuration Add(in Outcome outcome)
    {
        lock (_gate)
        {
            if (Find(outcome) is { } known)
            {
                return known;
            }

            bool isRest = _durations.Length >= LimitOf(outcome);
            StatusDuration added = new(this, isRest ? null : outcome, time, _hasExemplars);
            Volatile.Write(ref _durations, [.. _durations, added]);
            if (isRest)
            {
                Volatile.Write(ref _rest, added);
            }

            return added;
        }
    }

    private static int LimitOf(in Outcome outcome) => outcome.RpcStatus is null ? MaxStatusCodes : MaxRpcStatuses;
}

/// <summary>The durations of a route's requests with a status code. The exposition contains them as <c>http.server.request.duration</c> of
/// OpenTelemetry's HTTP conventions, which ready-made dashboards use. Thread-safe.</summary>
internal sealed class StatusDuration
{
    public const string Metric = "http.server.request.duration";

    private static readonly HdrHistogramDescription Description =
        HdrHistogramDescription.Nanoseconds with { Help = "Duration of HTTP server requests." };

    // The resolution of the exposition, which takes less than 2 KB.
    private static readonly InterlockedHdrHistogramFactory<uint> Nanoseconds =
        HdrHistogram.Factory.WithRelativeError(0.1).WithMinTrackableValue(1_000).WithMaxTrackableValue(3_600_000_000_000).WithInterlocked();

    private readonly InterlockedHdrHistogram<uint> _histogram = Nanoseconds.Create();
    private long _sum;

    /// <summary>The outcome is null for all others. The clock is null if the slowest requests are not kept.</summary>
    public StatusDuration(RouteRow route, Outcome? outcome, TimeProvider? time, bool hasExemplars)
    {
        Outcome = outcome;
        Slowest = time is null ? null : new(static request => request.WallNanoseconds, time);
        string code = outcome?.Status.ToString(CultureInfo.InvariantCulture) ?? RouteTable.OtherMethod;
        KeyValuePair<string, string>? error = outcome?.ErrorType is { } errorType ? new("error.type", errorType) : null;
        KeyValuePair<string, string>? rpc = outcome?.RpcStatus is { } rpcStatus ? new("rpc.response.status_code", rpcStatus) : null;
        KeyValuePair<string, string>?[] labels =
        [
            error, new("http.request.method", route.Method), new("http.response.status_code", code), new("http.route", route.Route), rpc,
        ];
        Registration = new HdrHistogramRegistration(
            Metric,
            _histogram,
            Description,
            [.. labels.OfType<KeyValuePair<string, string>>()])
        {
            OwnerFacts = new()
            {
                ExactSum = () => Interlocked.Read(ref _sum),
                Exemplars = hasExemplars ? Slowest!.ReadExemplars : null,
            },
        };
    }

    /// <summary>The status code, the gRPC status and the type of the error; null for all others. The class is that of the first
    /// request.</summary>
    public Outcome? Outcome { get; }

    /// <summary>The slowest requests; null if they are not kept.</summary>
    public SlowestRequests? Slowest { get; }

    public HdrHistogramRegistration Registration { get; }

    public long Count => (long)_histogram.TotalCount;

    public void Record(long nanoseconds)
    {
        _histogram.Record((ulong)Math.Max(nanoseconds, 0));
        Interlocked.Add(ref _sum, nanoseconds);
    }
}
