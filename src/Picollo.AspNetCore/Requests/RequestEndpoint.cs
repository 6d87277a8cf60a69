using Microsoft.AspNetCore.Diagnostics;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;

namespace Picollo.AspNetCore.Requests;

/// <summary>The endpoint that a request came for, when all is over.</summary>
/// <remarks>Error pages run the pipeline a second time, for a path of theirs. The endpoint is the first run's: the exception handler
/// leaves a feature that tells it, status code pages take theirs away again, and both put the endpoint, if there was one, among the
/// request's items, where the server's own metrics look for it.</remarks>
internal static class RequestEndpoint
{
    /// <summary>The framework's key (<c>HttpExtensions.OriginalEndpointKey</c>), which is not public.</summary>
    private const string OriginalEndpointKey = "__OriginalEndpoint";

    private static readonly object UnmatchedKey = new();

    /// <summary>Notes, at the pipeline's end, that nothing took the request. Of an error page's run it says nothing: where the first run
    /// had an endpoint, that is asked for before.</summary>
    public static void MarkUnmatched(HttpContext context)
    {
        if (context.GetEndpoint() is null)
        {
            context.Items[UnmatchedKey] = UnmatchedKey;
        }
    }

    /// <summary>The endpoint that the request came for; null where there was none.</summary>
    public static Endpoint? Of(HttpContext context) => OriginalOf(context, context.GetEndpoint());

    private static Endpoint? OriginalOf(HttpContext context, Endpoint? last)
    {
        if (context.Features.Get<IExceptionHandlerFeature>() is { } handled)
        {
            return handled.Endpoint;
        }

        // Not by context.Items, which would make the items where nobody has any.
        if (context.Features.Get<IItemsFeature>()?.Items is not { Count: > 0 } items)
        {
            return last;
        }

        return items.TryGetValue(OriginalEndpointKey, out object? original) && original is Endpoint endpoint ? endpoint
            : items.ContainsKey(UnmatchedKey) ? null
            : last;
    }
}
