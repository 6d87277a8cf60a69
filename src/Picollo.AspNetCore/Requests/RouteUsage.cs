using Picollo.AspNetCore.Work;

namespace Picollo.AspNetCore.Requests;

/// <summary>How a request ended.</summary>
internal enum ResponseClass
{
    /// <summary>1xx: the connection was upgraded.</summary>
    Informational,

    /// <summary>2xx.</summary>
    Success,

    /// <summary>3xx.</summary>
    Redirection,

    /// <summary>4xx.</summary>
    ClientError,

    /// <summary>5xx.</summary>
    ServerError,

    /// <summary>The client disconnected before the response started, or the request failed when it did.</summary>
    Aborted,
}

/// <summary>What the requests of a method and route pattern took. Thread-safe.</summary>
internal sealed class RouteUsage(string method, string route) : WorkUsage(route)
{
    private readonly long[] _responses = new long[(int)ResponseClass.Aborted + 1];
    private long _rejected;

    /// <summary>A known method, or <see cref="RouteTable.OtherMethod"/>.</summary>
    public string Method { get; } = method;

    /// <summary>The pattern, never a path.</summary>
    public string Route => Name;

    /// <summary>The number of rejected requests: by a rate limit (429), or by the queue of the CPU workers. The histograms do not have
    /// them.</summary>
    public long Rejected => Interlocked.Read(ref _rejected);

    /// <summary>The number of responses of a class.</summary>
    public long this[ResponseClass response] => Interlocked.Read(ref _responses[(int)response]);

    /// <summary>The number of responses.</summary>
    public long Responses => _responses.Index().Sum(response => this[(ResponseClass)response.Index]);

    /// <summary>Counts a request.</summary>
    /// <param name="usage">What it took.</param>
    /// <param name="response">How it ended.</param>
    /// <param name="isRejected">Whether it was rejected before the application did its work, so that it says nothing about that
    /// work.</param>
    /// <param name="counted">As for <see cref="WorkUsage.Record"/>.</param>
    public void Record(
        in RunUsage usage, ResponseClass response = ResponseClass.Success, bool isRejected = false, long counted = 0)
    {
        Interlocked.Increment(ref _responses[(int)response]);
        if (isRejected)
        {
            Interlocked.Increment(ref _rejected);
        }

        Record(usage, counted, isInPercentiles: !isRejected);
    }
}
