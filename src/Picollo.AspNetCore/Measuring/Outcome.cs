using System.Net.WebSockets;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Diagnostics;

namespace Picollo.AspNetCore.Measuring;

/// <summary>The way in which a request ended.</summary>
/// <param name="Status">The HTTP status code that was sent, or that the server sends after the pipeline has returned.</param>
/// <param name="Class">The class. A request that failed has the class of a failure even if its status code is 200.</param>
/// <param name="RpcStatus">The name of the gRPC status (<c>rpc.response.status_code</c>); null if there is none.</param>
/// <param name="ErrorType">The type of the error (<c>error.type</c>); null if the server and the response did not fail.</param>
internal readonly record struct Outcome(int Status, ResponseClass Class, string? RpcStatus = null, string? ErrorType = null)
{
    /// <summary>The type of the error if the server aborted or reset the response without an exception.</summary>
    public const string AbortedByServer = "aborted";

    /// <summary>Whether the outcomes have the same labels in the exposition.</summary>
    public bool HasLabelsOf(in Outcome other) => Status == other.Status && RpcStatus == other.RpcStatus && ErrorType == other.ErrorType;

    public static Outcome FromRequest(HttpContext context, RequestRun request, Exception? failure, TimeSpan elapsed)
    {
        string? type = context.Response.ContentType;
        return request.IsGrpc || GrpcStatus.IsGrpc(type)
            ? FromGrpc(context, request, failure, type, elapsed)
            : FromHttp(context, request, failure);
    }

    private static Outcome FromHttp(HttpContext context, RequestRun request, Exception? failure)
    {
        HttpResponse response = context.Response;
        bool hasStarted = response.HasStarted;

        // An application may end a WebSocket by an abort.
        bool isAborted = request.IsAbortedByServer && (failure is not null || !request.IsUpgrade);
        if (failure is null && hasStarted && !isAborted)
        {
            // A client may disconnect after it has received the whole response, before the pipeline has returned. That is not a failure.
            return FromStatus(context, response.StatusCode);
        }

        // The server logs 499 for each request that was aborted before its response started.
        bool isCanceled = IsCanceled(request, failure);
        int status = hasStarted ? response.StatusCode
            : isCanceled || isAborted ? StatusCodes.Status499ClientClosedRequest
            : failure switch
            {
                null => response.StatusCode,
                BadHttpRequestException badRequest => badRequest.StatusCode,
                _ => StatusCodes.Status500InternalServerError,
            };
        if (isCanceled)
        {
            return new(status, ResponseClass.Aborted);
        }

        if (isAborted)
        {
            return new(status, ResponseClass.ServerError, null, failure is null ? AbortedByServer : TypeOf(failure));
        }

        return failure switch
        {
            null => FromStatus(context, status),
            BadHttpRequestException bad => new(status, ClassOf(bad.StatusCode), null, hasStarted ? TypeOf(bad) : null),
            _ => new(status, ResponseClass.ServerError, null, TypeOf(failure)),
        };
    }

    private static Outcome FromGrpc(HttpContext context, RequestRun request, Exception? failure, string? type, TimeSpan elapsed)
    {
        Outcome http = FromHttp(context, request, failure);
        bool isCanceled = IsCanceled(request, failure);
        GrpcStatus? status = GrpcStatus.Read(context, request.WebTrailers);
        if (status is null && http.Class == ResponseClass.Success && !isCanceled)
        {
            // The body of a gRPC-Web response contains the status. Clients treat any other response without a status as UNKNOWN.
            status = GrpcStatus.IsGrpc(type) && !GrpcStatus.IsGrpcWeb(type) ? GrpcStatus.Unknown : null;
        }

        // gRPC servers respond UNKNOWN to the exception of a canceled call, but the client does not receive it. Often the deadline is the
        // reason, because the client's timer and the server's end at about the same time.
        if (isCanceled && (status is null || status == GrpcStatus.Ok || status == GrpcStatus.Unknown))
        {
            status = GrpcStatus.HasDeadlinePassed(context.Request, elapsed) ? GrpcStatus.DeadlineExceeded : GrpcStatus.Canceled;
        }

        return status is not { } known || (known == GrpcStatus.Ok && http.Class != ResponseClass.Success)
            ? http
            : new(http.Status, known.Class, known.Name, known.Class == ResponseClass.ServerError ? known.Name : null);
    }

    // An exception handler inside the pipeline has answered an exception with the status.
    private static Outcome FromStatus(HttpContext context, int status) => status < StatusCodes.Status500InternalServerError
        ? new(status, ClassOf(status))
        : new(status, ClassOf(status), null, context.Features.Get<IExceptionHandlerFeature>()?.Error is { } handled
            ? TypeOf(handled)
            : status.ToString(CultureInfo.InvariantCulture));

    private static ResponseClass ClassOf(int status) => (ResponseClass)(Math.Clamp(status / 100, 1, 5) - 1);

    private static string TypeOf(Exception exception) => exception.GetType().FullName ?? exception.GetType().Name;

    /// <summary>Returns whether the client has disconnected or canceled the request. The token is canceled on another thread, possibly
    /// after the exception of a read from the connection, and also after an abort by the application.</summary>
    private static bool IsCanceled(RequestRun request, Exception? failure)
    {
        for (Exception? inner = failure; inner is not null; inner = inner.InnerException)
        {
            if (inner is ConnectionResetException
                || (inner is ConnectionAbortedException && !request.IsAbortedByServer)
                || (request.IsUpgrade && inner is WebSocketException { WebSocketErrorCode: WebSocketError.ConnectionClosedPrematurely }))
            {
                return true;
            }
        }

        return !request.IsAbortedByServer && request.RequestAborted.IsCancellationRequested;
    }
}
