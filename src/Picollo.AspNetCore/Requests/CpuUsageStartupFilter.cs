using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Requests;

/// <summary>Puts the middleware around everything, where <c>UseCpuUsage()</c> was called anywhere.</summary>
/// <remarks>Not where it was called: a <c>WebApplication</c> has routed a request, and served it if its endpoint is one of
/// <c>ShortCircuit()</c>, before the application's own first middleware.</remarks>
internal sealed class CpuUsageStartupFilter(IServiceProvider services) : IStartupFilter
{
    /// <summary>Set by <c>UseCpuUsage()</c>, and looked at when the pipeline is built, which is after all such calls.</summary>
    public bool IsOn { get; set; }

    /// <summary>Throws where requests cannot be measured; another one's in tests.</summary>
    internal Action Probe { get; set; } = static () => new CpuUsageAsyncWatcher().Dispose();

    public Action<IApplicationBuilder> Configure(Action<IApplicationBuilder> next) => app =>
    {
        app.Use(pipeline => IsOn ? Watch(pipeline) : pipeline);
        next(app);
        app.Use(pipeline => IsOn ? EndUnmatched(pipeline) : pipeline);
    };

    private RequestDelegate Watch(RequestDelegate pipeline)
    {
        var reporter = services.GetRequiredService<RequestReporter>();
        try
        {
            Probe();
        }
        catch (MeasurementUnavailableException e)
        {
            reporter.LogUnavailable(e.Message);
            return pipeline;
        }

        return new CpuUsageMiddleware(pipeline, reporter, services.GetRequiredService<IOptions<PicolloOptions>>().Value).Invoke;
    }

    private static RequestDelegate EndUnmatched(RequestDelegate pipeline) => context =>
    {
        RequestEndpoint.MarkUnmatched(context);
        return pipeline(context);
    };
}
