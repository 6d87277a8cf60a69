using System.IO.Compression;
using System.Net;
using System.Net.Http.Headers;
using System.Net.Security;
using System.Net.Sockets;
using static System.Net.Http.HttpRequestError;

namespace Picollo.Export;

/// <summary>The result of a request. The error is null if the receiver has accepted the request, at least in part. The time that it
/// requests before a retry can be negative; it is null if it requests none, or if the request cannot be sent again.</summary>
internal readonly record struct OtlpResult(HttpRequestException? Error, bool MayRetry, TimeSpan? RetryAfter, long RejectedPoints);

/// <summary>Sends requests by HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp) or gRPC (#otlpgrpc). Not thread-safe.</summary>
/// <remarks>Error messages contain neither text of the receiver, which may repeat headers, nor the messages of exceptions, which may
/// contain such text.</remarks>
internal sealed class OtlpSender : IDisposable
{
    private const int MaxResponseBytes = 1 << 16;

    // Fields of ExportMetricsServiceResponse and of its partial_success.
    private const int PartialSuccess = 1, RejectedDataPoints = 1;

    private readonly OtlpSettings _settings;
    private readonly TimeProvider _time;
    private SslClientAuthenticationOptions? _tls;
    private HttpClient? _client; // null if the next request must not use an earlier connection

    public OtlpSender(OtlpSettings settings, TimeProvider time) => (_settings, _time) = (settings, time);

    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    public async Task<OtlpResult> SendAsync(ReadOnlyMemory<byte> message, CancellationToken stop)
    {
        if (Connect() is { } problem)
        {
            return Failed(problem, mayRetry: false);
        }

        using CancellationTokenSource limit = new(_settings.Timeout, _time);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(limit.Token, stop);
        try
        {
            using HttpRequestMessage request = RequestOf(message);
            using HttpResponseMessage response =
                await _client!.SendAsync(request, HttpCompletionOption.ResponseHeadersRead, either.Token).ConfigureAwait(false);
            if (!response.IsSuccessStatusCode)
            {
                // The codes that the specification permits to retry, also for gRPC, whose calls have them from a proxy.
                bool mayRetry = response.StatusCode is HttpStatusCode.TooManyRequests or HttpStatusCode.BadGateway
                    or HttpStatusCode.ServiceUnavailable or HttpStatusCode.GatewayTimeout;

                // ASP.NET Core answers HTTP/1.1 with this code at an endpoint of gRPC, such as that of the Aspire dashboard.
                string hint = response.StatusCode == HttpStatusCode.BadRequest && !_settings.UsesGrpc
                    ? "; the receiver may accept only gRPC"
                    : "";
                return Failed(StatusText(response) + hint, mayRetry, response, mayRetry ? RetryAfterOf(response.Headers) : null);
            }

            return _settings.UsesGrpc
                ? await ReadGrpcAsync(response, either.Token).ConfigureAwait(false)
                : await ReadRejectedAsync(response.Content, either.Token).ConfigureAwait(false) is { } rejected
                    ? new(null, false, null, rejected)
                    : Failed($"{StatusText(response)}, but the body is not an OTLP response", mayRetry: false, response);
        }
        catch (OperationCanceledException)
        {
            // The connection may be dead. HTTP/1.1 closes it with the request, but HTTP/2 would use it for the next requests.
            _client?.Dispose();
            _client = null;
            stop.ThrowIfCancellationRequested();
            string reason = string.Create(
                CultureInfo.InvariantCulture, $"there was no response within {_settings.Timeout.TotalSeconds:0.###} s");
            return Failed(reason, mayRetry: true);
        }
        catch (HttpRequestException e)
        {
            string detail = e.InnerException is SocketException socket ? $" ({socket.SocketErrorCode})" : "";
            string hint = e.HttpRequestError switch
            {
                SecureConnectionError => "; the receiver may not use TLS, or its certificate may not be trusted",
                HttpProtocolError or VersionNegotiationError or ResponseEnded or Unknown when _settings.UsesGrpc =>
                    "; the receiver may not support HTTP/2, which gRPC requires",
                InvalidResponse or ResponseEnded or Unknown when !_settings.UsesGrpc => "; the receiver may accept only gRPC or https",
                _ => "",
            };
            return Failed($"{e.HttpRequestError}{detail}{hint}", mayRetry: true);
        }
        catch (IOException)
        {
            return Failed("the connection ended before the response was complete", mayRetry: true);
        }
    }

    public void Dispose() => _client?.Dispose();

    /// <summary>Creates the client if there is none, or the files of certificates have changed.</summary>
    /// <returns>The problem with a file; null if there is none.</returns>
    private string? Connect()
    {
        SslClientAuthenticationOptions? changed = null;
        if (_settings.Certificates?.TryLoad(out changed) is { } problem)
        {
            return problem;
        }

        if (_client is not null && changed is null)
        {
            return null;
        }

        // Redirects are off, because they would send the headers elsewhere. Propagation is off, so that no spans are created for exports.
        SocketsHttpHandler handler = new()
        {
            AllowAutoRedirect = false,
            UseCookies = false,
            ActivityHeadersPropagator = null,
            PooledConnectionLifetime = TimeSpan.FromMinutes(5), // finds new addresses of the receiver
        };
        _tls = changed ?? _tls;
        handler.SslOptions = _tls ?? handler.SslOptions;
        _client?.Dispose();
        _client = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
        return null;
    }

    private HttpRequestMessage RequestOf(ReadOnlyMemory<byte> message)
    {
        HttpRequestMessage request = new(HttpMethod.Post, _settings.Endpoint);
        ReadOnlySpan<byte> body = _settings.UsesGzip ? Compress(message.Span) : message.Span;
        if (_settings.UsesGrpc)
        {
            OtlpGrpc.Prepare(request, body, _settings.UsesGzip, _settings.Timeout);
        }
        else
        {
            request.Content = new ByteArrayContent(body.ToArray());
            request.Content.Headers.ContentType = new MediaTypeHeaderValue("application/x-protobuf");
            if (_settings.UsesGzip)
            {
                request.Content.Headers.ContentEncoding.Add("gzip");
            }
        }

        foreach ((string name, string value) in _settings.Headers)
        {
            request.Headers.TryAddWithoutValidation(name, value);
        }

        return request;
    }

    private static ReadOnlySpan<byte> Compress(ReadOnlySpan<byte> message)
    {
        using MemoryStream compressed = new();
        using (GZipStream gzip = new(compressed, CompressionLevel.Fastest, leaveOpen: true))
        {
            gzip.Write(message);
        }

        return compressed.GetBuffer().AsSpan(0, (int)compressed.Length);
    }

    private static string StatusText(HttpResponseMessage response) => $"the receiver returned the status code {(int)response.StatusCode}";

    private OtlpResult Failed(string reason, bool mayRetry, HttpResponseMessage? response = null, TimeSpan? wait = null)
    {
        string message = $"The export to {_settings.EndpointText} failed: {reason}.{_settings.PortHint}";
        return new(new HttpRequestException(message, null, response?.StatusCode), mayRetry, wait, 0);
    }

    private async Task<OtlpResult> ReadGrpcAsync(HttpResponseMessage response, CancellationToken stop)
    {
        if (!OtlpGrpc.IsGrpc(response))
        {
            return Failed($"{StatusText(response)}, but the body is not a gRPC response", mayRetry: false, response);
        }

        byte[] body = await ReadStartAsync(response.Content, stop).ConfigureAwait(false);
        return OtlpGrpc.StatusOf(response) switch
        {
            null => Failed("the response has no gRPC status", mayRetry: false, response),
            { Code: 0 } => TryReadRejected(OtlpGrpc.MessageOf(body), out long rejected)
                ? new(null, false, null, rejected)
                : Failed("the body is not an OTLP response", mayRetry: false, response),
            { } status => Failed(
                $"the receiver returned the gRPC status {status.Name}",
                status.MayRetry,
                response,
                status.MayRetry ? status.RetryAfter : null),
        };
    }

    /// <summary>Reads the whole body up to a limit, so that also its trailers are read if it is shorter.</summary>
    private static async Task<byte[]> ReadStartAsync(HttpContent content, CancellationToken stop)
    {
        byte[] start = new byte[MaxResponseBytes];
        Stream body = await content.ReadAsStreamAsync(stop).ConfigureAwait(false);
        await using (body.ConfigureAwait(false))
        {
            int length = await body.ReadAtLeastAsync(start, start.Length, throwOnEndOfStream: false, stop).ConfigureAwait(false);
            return start[..length];
        }
    }

    /// <summary>Returns the wait that the receiver requests, which can be negative; null for none, or if it is invalid.</summary>
    private TimeSpan? RetryAfterOf(HttpResponseHeaders headers)
    {
        if (headers.RetryAfter is { } after)
        {
            return after.Delta ?? (after.Date - _time.GetUtcNow());
        }

        // .NET does not parse numbers above int.MaxValue.
        return headers.NonValidated.TryGetValues("Retry-After", out HeaderStringValues values)
            && values.ToString() is { Length: > 0 } text && !text.AsSpan().ContainsAnyExceptInRange('0', '9') ? TimeSpan.MaxValue : null;
    }

    /// <summary>Reads the number of rejected data points of a successful response; null if the response is a web page, such as a login, or
    /// an invalid message, so that the address may not be that of a receiver.</summary>
    /// <remarks>The specification requires a protobuf message. As in the OpenTelemetry SDKs, other responses are also accepted, because
    /// receivers return an empty body, "OK" as text, or JSON.</remarks>
    private static async Task<long?> ReadRejectedAsync(HttpContent content, CancellationToken stop)
    {
        byte[] response = await ReadStartAsync(content, stop).ConfigureAwait(false);
        string? type = content.Headers.ContentType?.MediaType?.ToLowerInvariant();
        if (type == "text/html" ? response.Length > 0 : response.AsSpan().TrimStart(" \t\r\n"u8) is [(byte)'<', ..])
        {
            return null;
        }

        bool isProtobuf = type is "application/x-protobuf" or "application/protobuf";
        bool isValid = TryReadRejected(response, out long rejected);
        return isProtobuf && response.Length < MaxResponseBytes && !isValid ? null
            : isProtobuf || type is null ? rejected
            : 0;
    }

    /// <summary>Reads the number of rejected data points. Returns whether the message consists of complete fields.</summary>
    internal static bool TryReadRejected(ReadOnlySpan<byte> response, out long rejected)
    {
        bool isComplete = ProtobufReader.TryFind(response, PartialSuccess, out ReadOnlySpan<byte> success);
        rejected = 0;
        ProtobufReader fields = new(success);
        while (fields.Read())
        {
            rejected = fields.Field == RejectedDataPoints ? (long)Math.Min(fields.Number, long.MaxValue) : rejected;
        }

        return isComplete && fields.Damage is null;
    }
}

/// <summary>Decides whether and when a request is sent again. Times are measured from the start of the exporter.</summary>
internal static class OtlpRetry
{
    /// <summary>The longest wait that a receiver can request.</summary>
    public static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(10);

    private const double FirstBackoffSeconds = 1;
    private const double LongestBackoffSeconds = 30;

    /// <summary>Decides what follows a request that was sent <paramref name="attempt"/> times: the time before which the receiver gets no
    /// request, and whether the export stops. If it does not stop, that time is after <paramref name="now"/> and before
    /// <paramref name="deadline"/>. The random number from 0 to 1 prevents that the processes of a fleet retry at the same time.</summary>
    public static (TimeSpan NotBefore, bool Stops) After(OtlpResult result, int attempt, TimeSpan now, TimeSpan deadline, double random)
    {
        double nominal = Math.Min(Math.ScaleB(FirstBackoffSeconds, attempt - 1), LongestBackoffSeconds);
        TimeSpan backoff = TimeSpan.FromSeconds(nominal * (0.8 + (0.4 * random)));

        // The receiver may request less than the backoff, or even a time in the past.
        TimeSpan wait = result.RetryAfter is not { } pause || pause < backoff ? backoff : pause < LongestPause ? pause : LongestPause;
        TimeSpan notBefore = now < TimeSpan.MaxValue - wait ? now + wait : TimeSpan.MaxValue;
        return (notBefore, !result.MayRetry || notBefore >= deadline);
    }
}
