using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore;
using Picollo.AspNetCore.Workers;
using Picollo.Scheduling;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Runs CPU-heavy endpoints in the scheduler.</summary>
public static class CpuWorkerEndpointConventionBuilderExtensions
{
    // One second: tasks take milliseconds, so that a place is free soon.
    private const string RetryAfterSeconds = "1";

    // Metadata of endpoints that already run on workers.
    private static readonly object OnWorkerMetadata = new();

    /// <summary>
    /// Runs the endpoint in a <see cref="Picollo.Scheduling.CpuWorkerPool"/>, so that the rest of the application stays responsive under
    /// any number of such requests.
    /// </summary>
    /// <remarks>
    /// <para>All of the endpoint runs there: its filters, the binding of its parameters, the handler and the writing of its result.
    /// Handlers call the checkpoints of <see cref="CpuTaskHttpContextExtensions.GetCpuTask"/> as they proceed. Exceptions propagate as they
    /// do without it, and the request's CPU time includes its time on the workers. The endpoint must not block on a task (<c>Wait</c>,
    /// <c>Result</c>), because the continuation of the task may need the blocked worker.</para>
    /// <para>The application has one pool, created for the first request with <see cref="PicolloOptions.CpuWorkers"/>. A task is
    /// cancelled when its request is aborted: at once while it waits for its first turn, otherwise at its next checkpoint. When
    /// <see cref="PicolloOptions.CpuWorkerQueueLimit"/> requests are waiting, further ones are answered with 503 and <c>Retry-After:
    /// 1</c>. When the application stops, requests in the pool are completed, as long as the host waits.</para>
    /// <para>Applies to all kinds of endpoints: minimal APIs, groups and controllers. Calls for a group and for its endpoint have the
    /// effect of one.</para>
    /// </remarks>
    /// <typeparam name="TBuilder">The type of the endpoint's builder.</typeparam>
    /// <param name="builder">The builder of one or more endpoints.</param>
    /// <returns><paramref name="builder"/>.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="builder"/> is <see langword="null"/>.</exception>
    /// <exception cref="InvalidOperationException"><c>AddPicollo()</c> was not called. Thrown when routing builds the
    /// endpoints, by default at the first request.</exception>
    public static TBuilder RequireCpuWorker<TBuilder>(this TBuilder builder)
        where TBuilder : IEndpointConventionBuilder
    {
        ArgumentNullException.ThrowIfNull(builder);
        builder.Finally(RunOnWorker);
        return builder;
    }

    private static void RunOnWorker(EndpointBuilder endpoint)
    {
        if (endpoint.RequestDelegate is not { } handler || endpoint.Metadata.Contains(OnWorkerMetadata))
        {
            return;
        }

        CpuWorkers workers = endpoint.ApplicationServices.GetService<CpuWorkers>()
            ?? throw new InvalidOperationException("RequireCpuWorker() needs the services that builder.Services.AddPicollo() adds.");
        CpuTaskOptions options = new() { Name = endpoint.DisplayName is { Length: > 0 } name ? name : nameof(RequireCpuWorker) };
        endpoint.Metadata.Add(OnWorkerMetadata);
        endpoint.RequestDelegate = context => workers.TryRun(context, handler, options) ?? Refuse(context.Response);
    }

    private static Task Refuse(HttpResponse response)
    {
        response.StatusCode = StatusCodes.Status503ServiceUnavailable;
        response.Headers.RetryAfter = RetryAfterSeconds;
        return Task.CompletedTask;
    }
}
