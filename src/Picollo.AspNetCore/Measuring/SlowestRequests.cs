using Picollo.Export;

namespace Picollo.AspNetCore.Measuring;

/// <summary>A request and its trace. The IDs have 32 and 16 hexadecimal digits.</summary>
internal sealed record TracedRequest(
    RouteRow Row, Outcome Outcome, long WallNanoseconds, long CpuNanoseconds, DateTimeOffset End, string TraceId, string SpanId);

/// <summary>The requests with the largest values in the current minute and in the previous minute. Thread-safe.</summary>
/// <remarks>Requests are kept by minute because a Prometheus server accepts the exemplars of a series only in the order of their times.
/// When a minute ends, its largest value is replaced by a later request, never by an earlier one. In a lower bucket, however,
/// slower requests may replace the latest request, so that an earlier one becomes the exemplar. The server ignores it.</remarks>
internal sealed class SlowestRequests(Func<TracedRequest, long> valueOf, TimeProvider time)
{
    public const int RequestsPerMinute = 4;

    private const long AnyValue = -1;

    private readonly Lock _gate = new();
    private readonly long _start = time.GetTimestamp();
    private List<TracedRequest> _current = new(RequestsPerMinute);
    private List<TracedRequest> _before = new(RequestsPerMinute);
    private long _minute;
    private long _least = AnyValue; // only larger values are added

    /// <summary>Returns whether a request with a value would be kept. Takes no lock, because it is called for each request.</summary>
    public bool Admits(long value) => value > Volatile.Read(ref _least) || MinuteNow() != Volatile.Read(ref _minute);

    public void Add(TracedRequest request)
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
    public IReadOnlyList<TracedRequest> Read()
    {
        lock (_gate)
        {
            MoveOn();
            return [.. _current.Concat(_before).OrderBy(valueOf)];
        }
    }

    public IReadOnlyList<Exemplar> ReadExemplars() =>
        [.. Read().Select(request => new Exemplar((ulong)Math.Max(valueOf(request), 0), request.End, request.TraceId, request.SpanId))];

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
