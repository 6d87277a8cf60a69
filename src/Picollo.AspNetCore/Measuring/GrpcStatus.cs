using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;

namespace Picollo.AspNetCore.Measuring;

/// <remarks>This package does not depend on the gRPC packages. A server sends the status as the trailer <c>grpc-status</c>, or as a header
/// if the response has no body. The classes are those of OpenTelemetry's conventions for gRPC servers.</remarks>
/// <param name="Name">The name in the gRPC specification, which is the value of <c>rpc.response.status_code</c>.</param>
/// <param name="Class">The class.</param>
internal readonly record struct GrpcStatus(string Name, ResponseClass Class)
{
    private const string Header = "grpc-status";
    private const string TimeoutHeader = "grpc-timeout";
    private const string ContentType = "application/grpc";
    private const string WebContentType = "application/grpc-web";

    // A client may start its timer before it connects, and its cancellation takes as long as its request. In the tests, with a connection
    // that exists, calls end within 1 % of the deadline.
    private const double DeadlineTolerance = 0.1;

    // In the order of their codes.
    private static readonly GrpcStatus[] All =
    [
        new("OK", ResponseClass.Success),
        new("CANCELLED", ResponseClass.Aborted),
        new("UNKNOWN", ResponseClass.ServerError),
        new("INVALID_ARGUMENT", ResponseClass.ClientError),
        new("DEADLINE_EXCEEDED", ResponseClass.ServerError),
        new("NOT_FOUND", ResponseClass.ClientError),
        new("ALREADY_EXISTS", ResponseClass.ClientError),
        new("PERMISSION_DENIED", ResponseClass.ClientError),
        new("RESOURCE_EXHAUSTED", ResponseClass.ClientError),
        new("FAILED_PRECONDITION", ResponseClass.ClientError),
        new("ABORTED", ResponseClass.ClientError),
        new("OUT_OF_RANGE", ResponseClass.ClientError),
        new("UNIMPLEMENTED", ResponseClass.ServerError),
        new("INTERNAL", ResponseClass.ServerError),
        new("UNAVAILABLE", ResponseClass.ServerError),
        new("DATA_LOSS", ResponseClass.ServerError),
        new("UNAUTHENTICATED", ResponseClass.ClientError),
    ];

    public static int Count => All.Length;

    public static GrpcStatus Ok => All[0];

    public static GrpcStatus Canceled => All[1];

    public static GrpcStatus Unknown => All[2];

    public static GrpcStatus DeadlineExceeded => All[4];

    public static bool IsGrpc(string? contentType) =>
        contentType is not null && contentType.StartsWith(ContentType, StringComparison.OrdinalIgnoreCase);

    public static bool IsGrpcWeb(string? contentType) =>
        contentType is not null && contentType.StartsWith(WebContentType, StringComparison.OrdinalIgnoreCase);

    /// <param name="context">The request's context.</param>
    /// <param name="webTrailers">The trailers that the gRPC-Web middleware writes to the body; null if there are none.</param>
    /// <returns>The status; <see cref="Unknown"/> if it is invalid, as for clients; null if there is none.</returns>
    public static GrpcStatus? Read(HttpContext context, IHeaderDictionary? webTrailers)
    {
        StringValues text = default;
        (webTrailers ?? context.Features.Get<IHttpResponseTrailersFeature>()?.Trailers)?.TryGetValue(Header, out text);
        if (text.Count == 0)
        {
            text = context.Response.Headers[Header];
        }

        return text.Count == 0 ? null
            : int.TryParse(text.ToString(), NumberStyles.None, CultureInfo.InvariantCulture, out int code) && code < All.Length ? All[code]
            : Unknown;
    }

    public static bool HasDeadlinePassed(HttpRequest request, TimeSpan elapsed) =>
        ParseTimeout(request.Headers[TimeoutHeader].ToString()) is { } seconds && elapsed.TotalSeconds >= seconds * (1 - DeadlineTolerance);

    /// <summary>Parses the header <c>grpc-timeout</c>, at most eight digits and a unit, in seconds; null if the text is invalid.</summary>
    internal static double? ParseTimeout(string text)
    {
        const int MaxDigits = 8;
        double? unit = text.Length is < 2 or > MaxDigits + 1 ? null : text[^1] switch
        {
            'H' => 3600,
            'M' => 60,
            'S' => 1,
            'm' => 1e-3,
            'u' => 1e-6,
            'n' => 1e-9,
            _ => null,
        };
        return unit is not null && uint.TryParse(text.AsSpan(..^1), NumberStyles.None, CultureInfo.InvariantCulture, out uint count)
            ? count * unit
            : null;
    }
}
