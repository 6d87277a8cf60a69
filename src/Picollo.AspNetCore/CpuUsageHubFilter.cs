using System.Collections.Concurrent;
using System.Reflection;
using Microsoft.AspNetCore.SignalR;

namespace Picollo.AspNetCore;

/// <summary>Measures each method of SignalR's hubs in a row of its own, such as <c>ChatHub.Send</c>, over every transport.</summary>
/// <remarks>
/// <para>The time counts for the method and not for the connection. Of a method that returns a stream, only the call is measured and not what
/// produces the items; that counts for the connection.</para>
/// <example>
/// <code>
/// builder.Services.AddSignalR(options => options.AddFilter&lt;CpuUsageHubFilter&gt;());
/// </code>
/// </example>
/// </remarks>
/// <param name="meter">The application's meter, which <c>AddPicollo()</c> adds.</param>
public sealed class CpuUsageHubFilter(WorkMeter meter) : IHubFilter
{
    // As many as the hubs have methods.
    private readonly ConcurrentDictionary<MethodInfo, string> _names = new();

    /// <inheritdoc/>
    public async ValueTask<object?> InvokeMethodAsync(
        HubInvocationContext invocationContext, Func<HubInvocationContext, ValueTask<object?>> next)
    {
        ArgumentNullException.ThrowIfNull(invocationContext);
        ArgumentNullException.ThrowIfNull(next);
        string name = _names.GetOrAdd(
            invocationContext.HubMethod, static (method, hub) => $"{hub.Name}.{method.Name}", invocationContext.Hub.GetType());
        using (meter.Measure(name))
        {
            return await next(invocationContext);
        }
    }
}
