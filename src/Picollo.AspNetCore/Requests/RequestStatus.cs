using Microsoft.AspNetCore.Http;

namespace Picollo.AspNetCore.Requests;

/// <summary>The status code that a request ends with, as far as it is known when the pipeline has returned.</summary>
internal static class RequestStatus
{
    /// <remarks>The server makes a response of what the application has thrown afterwards, and 499 of a request that was aborted before its
    /// response began, as Kestrel's log has it.</remarks>
    public static int Of(HttpContext context, Exception? failure)
    {
        if (context.Response.HasStarted)
        {
            return context.Response.StatusCode;
        }

        if (context.RequestAborted.IsCancellationRequested)
        {
            return StatusCodes.Status499ClientClosedRequest;
        }

        return failure switch
        {
            null => context.Response.StatusCode,
            BadHttpRequestException badRequest => badRequest.StatusCode,
            _ => StatusCodes.Status500InternalServerError,
        };
    }
}
