using System.Collections.Concurrent;
using System.Reflection;
using Microsoft.AspNetCore.SignalR;

namespace Picollo.AspNetCore.Measuring;

/// <summary>Measures each method of SignalR hubs as named work. A method that returns a stream runs until the end of the stream.</summary>
internal sealed class HubMethodFilter(WorkMeter meter) : IHubFilter
{
    // Bounded by the number of hub methods.
    private readonly ConcurrentDictionary<MethodInfo, (string Name, Type? Stream)> _methods = new();

    public async ValueTask<object?> InvokeMethodAsync(
        HubInvocationContext invocationContext, Func<HubInvocationContext, ValueTask<object?>> next)
    {
        (string name, Type? stream) = _methods.GetOrAdd(
            invocationContext.HubMethod,
            static (method, hub) => ($"{hub.Name}.{method.Name}", MeasuredStream.TypeFor(method.ReturnType)),
            invocationContext.Hub.GetType());
        WorkMeter.WorkRun run = meter.Start(name);
        try
        {
            object? result = await next(invocationContext);
            if (stream is not null && result is not null && run.IsMeasured)
            {
                // The caller's flow does not contain the run, because this method returns.
                return MeasuredStream.Create(stream, result, run, invocationContext.Context.ConnectionAborted);
            }

            run.Complete();
            run.Dispose();
            return result;
        }
        catch (Exception failure)
        {
            run.Fail(failure);
            run.Dispose();
            throw;
        }
    }
}
