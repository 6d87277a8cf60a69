using System.Buffers;
using System.IO.Pipelines;
using Microsoft.AspNetCore.Http;

namespace Picollo.AspNetCore.Page;

/// <summary>Reads a request's body up to a size, whatever its headers say and the server allows.</summary>
internal static class BoundedBody
{
    /// <returns>The body; null where it is larger.</returns>
    public static async Task<byte[]?> ReadAsync(HttpRequest request, int limit, CancellationToken cancellation)
    {
        if (request.ContentLength > limit)
        {
            return null;
        }

        while (true)
        {
            ReadResult result = await request.BodyReader.ReadAsync(cancellation);
            bool isTooLarge = result.Buffer.Length > limit;
            if (isTooLarge || result.IsCompleted)
            {
                byte[]? body = isTooLarge ? null : result.Buffer.ToArray();
                request.BodyReader.AdvanceTo(result.Buffer.End); // else the connection's next request cannot be read
                return body;
            }

            request.BodyReader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
        }
    }
}
