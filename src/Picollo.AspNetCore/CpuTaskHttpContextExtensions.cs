using Picollo.Scheduling;

namespace Microsoft.AspNetCore.Http;

/// <summary>Extension methods of <see cref="HttpContext"/> for requests that run on a CPU worker.</summary>
public static class CpuTaskHttpContextExtensions
{
    /// <summary>Returns the request's task, which provides its checkpoints.</summary>
    /// <remarks>
    /// Call it in the handler of an endpoint with <c>RequireCpuWorker()</c>, or in code that the handler calls, until the handler returns.
    /// <example>
    /// <code>
    /// app.MapGet("/primes/{count:int}", async (int count, HttpContext context) =&gt;
    /// {
    ///     CpuTaskContext cpu = context.GetCpuTask();
    ///     int found = 0;
    ///     for (int n = 2; found &lt; count; n++)
    ///     {
    ///         found += IsPrime(n) ? 1 : 0;
    ///         await cpu.CheckpointAsync();
    ///     }
    ///
    ///     return found;
    /// }).RequireCpuWorker();
    /// </code>
    /// </example>
    /// </remarks>
    /// <param name="context">The request's context.</param>
    /// <returns>The task. Its checkpoints throw <see cref="OperationCanceledException"/> after the request is aborted.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="context"/> is <see langword="null"/>.</exception>
    /// <exception cref="InvalidOperationException">The request's endpoint does not have <c>RequireCpuWorker()</c>.</exception>
    public static CpuTaskContext GetCpuTask(this HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return context.Features.Get<StrongBox<CpuTaskContext>>() is { } task
            ? task.Value
            : throw new InvalidOperationException("The request does not run on a CPU worker. Call RequireCpuWorker() on its endpoint.");
    }
}
