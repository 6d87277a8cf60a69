using System.Collections.Concurrent;
using System.Reflection;
using Microsoft.AspNetCore.SignalR;

namespace Picollo.AspNetCore.Requests;

/// <summary>Measures each method of SignalR hubs as named work.</summary>
internal sealed class HubMethodFilter(WorkMeter meter) : IHubFilter
{
    // Bounded by the number of hub methods.
    private readonly ConcurrentDictionary<MethodInfo, string> _names = new();

    public async ValueTask<object?> InvokeMethodAsync(
        HubInvocationContext invocationContext, Func<HubInvocationContext, ValueTask<object?>> next)
    {
        string name = _names.GetOrAdd(
            invocationContext.HubMethod, static (method, hub) => $"{hub.Name}.{method.Name}", invocationContext.Hub.GetType());
        using WorkMeter.Run run = meter.Start(name);
        try
        {
            object? result = await next(invocationContext);
            run.Complete();
            return result;
        }
        catch (Exception failure)
        {
            run.Fail(failure);
            throw;
        }
    }
}
