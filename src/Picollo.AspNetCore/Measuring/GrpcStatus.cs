using Microsoft.AspNetCore.Http.Features;
using Microsoft.Extensions.Primitives;
using Picollo.Export;

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

    private static readonly GrpcStatus[] All = [.. OtlpGrpcStatus.Names.Select(name => new GrpcStatus(name, ClassOf(name)))];

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

    private static ResponseClass ClassOf(string name) => name switch
    {
        "OK" => ResponseClass.Success,
        "CANCELLED" => ResponseClass.Aborted,
        "UNKNOWN" or "DEADLINE_EXCEEDED" or "UNIMPLEMENTED" or "INTERNAL" or "UNAVAILABLE" or "DATA_LOSS" => ResponseClass.ServerError,
        _ => ResponseClass.ClientError,
    };

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
