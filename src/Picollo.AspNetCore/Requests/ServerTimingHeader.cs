using System.Globalization;
using Microsoft.AspNetCore.Http;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Requests;

/// <summary>Adds <c>Server-Timing</c> (W3C Server Timing) to a response when its headers are sent: what the request has taken by
/// then.</summary>
internal sealed class ServerTimingHeader(HttpContext context, CpuUsageAsyncWatcher watcher)
{
    private const string Name = "Server-Timing";

    /// <summary>The outermost middleware calls it before all others, and the last is called first: what the application adds is there
    /// already.</summary>
    public static void AddTo(HttpContext context, CpuUsageAsyncWatcher watcher) =>
        context.Response.OnStarting(static header => ((ServerTimingHeader)header).Write(), new ServerTimingHeader(context, watcher));

    private Task Write()
    {
        RequestUsage usage = RequestUsage.Of(watcher);
        context.Response.Headers.Append(Name, string.Create(
            CultureInfo.InvariantCulture,
            $"cpu;dur={usage.CpuNanoseconds / 1e6:0.###}, total;dur={usage.WallNanoseconds / 1e6:0.###}"));
        return Task.CompletedTask;
    }
}
