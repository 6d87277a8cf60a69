using Picollo.Cpu;
using Picollo.Export;

namespace Picollo.AspNetCore.Measuring;

/// <summary>A request that is shown on its own. The IDs of its trace have 32 and 16 hexadecimal digits, or none if it is not
/// traced.</summary>
internal sealed record KeptRequest(
    RouteRow Row, Outcome Outcome, long WallNanoseconds, long CpuNanoseconds, DateTimeOffset End, string TraceId, string SpanId)
{
    /// <summary>The watcher of the request, if it measured the latency; otherwise null.</summary>
    public CpuUsageAsyncWatcher? Timed { get; init; }

    /// <summary>The states of the request, with the waits for locks that are known now; null if they were not measured.</summary>
    public LatencyShares? Latency => Timed is null ? null : LatencyShares.FromRun(Timed.GetLatencyBreakdown());
}

/// <summary>The requests with the largest values in the current minute and in the previous minute. Thread-safe.</summary>
/// <remarks>Requests are kept by minute because a Prometheus server accepts the exemplars of a series only in the order of their times.
/// When a minute ends, its largest value is replaced by a later request, never by an earlier one. In a lower bucket, however,
/// slower requests may replace the latest request, so that an earlier one becomes the exemplar. The server ignores it.</remarks>
internal sealed class SlowestRequests(Func<KeptRequest, long> valueOf, TimeProvider time)
{
    public const int RequestsPerMinute = 4;

    private const long AnyValue = -1;

    private readonly Lock _gate = new();
    private readonly long _start = time.GetTimestamp();
    private List<KeptRequest> _current = new(RequestsPerMinute);
    private List<KeptRequest> _before = new(RequestsPerMinute);
    private long _minute;
    private long _least = AnyValue; // only larger values are added

    /// <summary>Returns whether a request with a value would be kept. Takes no lock, because it is called for each request.</summary>
    public bool Admits(long value) => value > Volatile.Read(ref _least) || MinuteNow() != Volatile.Read(ref _minute);

    public void Add(KeptRequest request)
    {
        lock (_gate)
        {
            MoveOn();
            if (valueOf(request) <= _least)
            {
                return;
            }

            // Of equal values, the earlier one ranks higher.
            int place = _current.FindIndex(other => valueOf(other) >= valueOf(request));
            _current.Insert(place < 0 ? _current.Count : place, request);
            if (_current.Count > RequestsPerMinute)
            {
                _current.RemoveAt(0);
            }

            Volatile.Write(ref _least, _current.Count < RequestsPerMinute ? AnyValue : valueOf(_current[0]));
        }
    }

    /// <summary>Returns the requests in ascending order of their values.</summary>
    public IReadOnlyList<KeptRequest> Read()
    {
        lock (_gate)
        {
            MoveOn();
            return [.. _current.Concat(_before).OrderBy(valueOf)];
        }
    }

    public IReadOnlyList<Exemplar> ReadExemplars() =>
    [
        .. from request in Read()
           where request.TraceId.Length > 0
           select new Exemplar((ulong)Math.Max(valueOf(request), 0), request.End, request.TraceId, request.SpanId),
    ];

    private long MinuteNow() => (long)time.GetElapsedTime(_start).TotalMinutes;

    private void MoveOn()
    {
        long minute = MinuteNow();
        if (minute == _minute)
        {
            return;
        }

        (_before, _current) = (_current, _before);
        _current.Clear();
        if (minute != _minute + 1)
        {
            _before.Clear();
        }

        Volatile.Write(ref _least, AnyValue);
        Volatile.Write(ref _minute, minute);
    }
}
