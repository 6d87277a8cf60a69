using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore;
using Picollo.AspNetCore.Workers;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Gives CPU-heavy endpoints to the scheduler.</summary>
public static class CpuWorkerEndpointConventionBuilderExtensions
{
    // Handlers that are beyond the limit now have a place soon: tasks take milliseconds.
    private const string RetryAfterSeconds = "1";

    /// <summary>
    /// Runs the endpoint in a <see cref="Picollo.Scheduling.CpuWorkerPool"/>, so that the rest of the application stays responsive however
    /// many such requests there are.
    /// </summary>
    /// <remarks>
    /// <para>All of the endpoint runs there: its filters, the binding of its parameters, the handler and the writing of its result.
    /// Handlers call the checkpoints of <see cref="CpuTaskHttpContextExtensions.GetCpuTask"/> as they go. Exceptions come out as they do
    /// without it, and the request's CPU time includes what it took on the workers. Nothing of it may block on a task (<c>Wait</c>,
    /// <c>Result</c>): what the task awaits to go on waits for the worker.</para>
    /// <para>The pool is the application's one, made for the first request as <see cref="PicolloOptions.CpuWorkers"/> has it. Its tasks are
    /// cancelled when their request is aborted: at once while they wait for their first turn, at the next checkpoint after that. Where
    /// <see cref="PicolloOptions.CpuWorkerQueueLimit"/> requests wait already, further ones are answered with 503 and <c>Retry-After:
    /// 1</c>. When the application stops, requests that are in the pool are served to their end, as long as the host waits.</para>
    /// <para>For minimal APIs, groups, controllers and whatever else is an endpoint; on a group and on its endpoint it counts once.</para>
    /// </remarks>
    /// <typeparam name="TBuilder">Of endpoints.</typeparam>
    /// <param name="builder">The endpoint, or several.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException">No endpoint.</exception>
    /// <exception cref="InvalidOperationException">When the endpoint is built: <c>AddPicollo()</c> was not called.</exception>
    public static TBuilder RequireCpuWorker<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Finally(OnWorker);
        return builder;
    }

    private static void OnWorker(EndpointBuilder endpoint)
    {
        if (endpoint.RequestDelegate is not { } handler || endpoint.Metadata.OfType<CpuWorkerMark>().Any())
        {
            return;
        }

        CpuWorkers workers = endpoint.ApplicationServices.GetService<CpuWorkers>()
            ?? throw new InvalidOperationException("RequireCpuWorker() needs the services that builder.Services.AddPicollo() adds.");
        string name = endpoint.DisplayName ?? nameof(RequireCpuWorker);
        endpoint.Metadata.Add(CpuWorkerMark.Instance);
        endpoint.RequestDelegate = context => workers.TryRun(context, handler, name) ?? Refuse(context.Response);
    }

    private static Task Refuse(HttpResponse response)
    {
        response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        response.Headers.RetryAfter = RetryAfterSeconds;
        return Task.CompletedTask;
    }

    /// <summary>On endpoints that run on workers already.</summary>
    private sealed class CpuWorkerMark
    {
        public static readonly CpuWorkerMark Instance = new();
    }
}
