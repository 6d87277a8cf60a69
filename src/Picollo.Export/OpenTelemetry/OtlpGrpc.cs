using System.Buffers.Binary;
using System.Net.Http.Headers;

namespace Picollo.Export;

/// <summary>The status of a gRPC call (https://grpc.io/docs/guides/status-codes/). The wait that the receiver requests can be negative; it
/// is null for none.</summary>
internal readonly record struct OtlpGrpcStatus(int Code, TimeSpan? RetryAfter)
{
    private const int ResourceExhausted = 8;

    /// <summary>The names in the gRPC specification, in the order of their codes.</summary>
    public static IReadOnlyList<string> Names { get; } =
    [
        "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
        "UNAUTHENTICATED",
    ];

    public string Name => Code >= 0 && Code < Names.Count ? Names[Code] : Code.ToString(CultureInfo.InvariantCulture);

    /// <summary>Whether the specification permits to retry (https://opentelemetry.io/docs/specs/otlp/#failures). An exhausted resource may
    /// be a limit of the size of messages, so that a retry needs the receiver's permission.</summary>
    public bool MayRetry => Name is "CANCELLED" or "DEADLINE_EXCEEDED" or "ABORTED" or "OUT_OF_RANGE" or "UNAVAILABLE" or "DATA_LOSS"
        || (Code == ResourceExhausted && RetryAfter is not null);
}

/// <summary>The parts of gRPC that a call with one request and one response needs
/// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).</summary>
internal static class OtlpGrpc
{
    public const string MethodPath = "/opentelemetry.proto.collector.metrics.v1.MetricsService/Export";

    /// <summary>The largest message without compression. Servers of Go and .NET reject more than 4 MiB by default.</summary>
    public const int MaxMessageBytes = 4_000_000;

    private const string ContentType = "application/grpc";
    private const string Status = "grpc-status";
    private const int PrefixBytes = 5; // whether the message is compressed, and its length
    private const int MaxTimeoutMilliseconds = 99_999_999; // grpc-timeout has 8 digits

    // Fields of google.rpc.Status, google.protobuf.Any, google.rpc.RetryInfo and google.protobuf.Duration.
    private const int Details = 3, TypeUrl = 1, AnyValue = 2, RetryDelay = 1, Seconds = 1, Nanoseconds = 2;

    /// <summary>Makes a request a gRPC call with a message.</summary>
    public static void Prepare(HttpRequestMessage request, ReadOnlySpan<byte> message, bool isCompressed, TimeSpan timeout)
    {
        byte[] framed = new byte[PrefixBytes + message.Length];
        framed[0] = isCompressed ? (byte)1 : (byte)0;
        BinaryPrimitives.WriteInt32BigEndian(framed.AsSpan(1), message.Length);
        message.CopyTo(framed.AsSpan(PrefixBytes));
        request.Content = new ByteArrayContent(framed);
        request.Content.Headers.ContentType = new MediaTypeHeaderValue(ContentType);
        request.Version = System.Net.HttpVersion.Version20;
        request.VersionPolicy = HttpVersionPolicy.RequestVersionExact; // without TLS, HTTP/2 is used without negotiation
        request.Headers.TE.Add(new TransferCodingWithQualityHeaderValue("trailers"));
        request.Headers.Add("grpc-timeout", TimeoutOf(timeout));
        if (isCompressed)
        {
            request.Headers.Add("grpc-encoding", "gzip");
        }
    }

    /// <summary>Returns whether the body of a response consists of messages.</summary>
    public static bool IsGrpc(HttpResponseMessage response) =>
        response.Content.Headers.ContentType?.MediaType?.StartsWith(ContentType, StringComparison.OrdinalIgnoreCase) == true;

    /// <summary>Reads the status of a response whose body was read. A response without a message has the status in its headers.</summary>
    /// <returns>The status; null if there is none.</returns>
    public static OtlpGrpcStatus? StatusOf(HttpResponseMessage response)
    {
        HttpResponseHeaders headers = ValueOf(response.TrailingHeaders, Status) is null ? response.Headers : response.TrailingHeaders;
        return int.TryParse(ValueOf(headers, Status), NumberStyles.None, CultureInfo.InvariantCulture, out int code)
            ? new(code, RetryAfterOf(ValueOf(headers, "grpc-status-details-bin")))
            : null;
    }

    /// <summary>Returns the message of a body; empty if it has none that is complete and not compressed.</summary>
    public static ReadOnlySpan<byte> MessageOf(ReadOnlySpan<byte> body) =>
        body.Length >= PrefixBytes && body[0] == 0 && BinaryPrimitives.ReadUInt32BigEndian(body[1..]) == body.Length - PrefixBytes
            ? body[PrefixBytes..]
            : [];

    /// <summary>Returns the wait in the details of a status; null if they have none, or are invalid.</summary>
    internal static TimeSpan? RetryAfterOf(string? details)
    {
        if (details is null || !TryDecode(details, out byte[] status))
        {
            return null;
        }

        TimeSpan? wait = null;
        ProtobufReader fields = new(status);
        while (fields.Read())
        {
            wait = fields.Field == Details && WaitOf(fields.Bytes) is { } delay ? delay : wait;
        }

        return fields.Damage is null ? wait : null;
    }

    private static TimeSpan? WaitOf(ReadOnlySpan<byte> any)
    {
        if (!ProtobufReader.TryFind(any, TypeUrl, out ReadOnlySpan<byte> type) || !type.EndsWith("/google.rpc.RetryInfo"u8)
            || !ProtobufReader.TryFind(any, AnyValue, out ReadOnlySpan<byte> info)
            || !ProtobufReader.TryFind(info, RetryDelay, out ReadOnlySpan<byte> duration))
        {
            return null;
        }

        double seconds = 0;
        ProtobufReader parts = new(duration);
        while (parts.Read())
        {
            seconds += parts.Field switch
            {
                Seconds => (long)parts.Number,
                Nanoseconds => (long)parts.Number / 1e9,
                _ => 0,
            };
        }

        return parts.Damage is not null ? null
            : seconds >= TimeSpan.MaxValue.TotalSeconds ? TimeSpan.MaxValue
            : seconds <= TimeSpan.MinValue.TotalSeconds ? TimeSpan.MinValue
            : TimeSpan.FromSeconds(seconds);
    }

    /// <summary>Decodes Base64, which gRPC may send without padding.</summary>
    private static bool TryDecode(string text, out byte[] bytes)
    {
        string padded = text.PadRight((text.Length + 3) / 4 * 4, '=');
        bytes = new byte[padded.Length];
        bool isValid = Convert.TryFromBase64String(padded, bytes, out int length);
        bytes = bytes[..length];
        return isValid;
    }

    private static string TimeoutOf(TimeSpan timeout) => timeout.TotalMilliseconds <= MaxTimeoutMilliseconds
        ? string.Create(CultureInfo.InvariantCulture, $"{(long)timeout.TotalMilliseconds}m")
        : string.Create(CultureInfo.InvariantCulture, $"{(long)timeout.TotalSeconds}S");

    private static string? ValueOf(HttpResponseHeaders headers, string name) =>
        headers.NonValidated.TryGetValues(name, out HeaderStringValues values) ? values.ToString() : null;
}
