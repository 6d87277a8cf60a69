using System.Runtime.CompilerServices;
using Picollo.Scheduling;

namespace Microsoft.AspNetCore.Http;

/// <summary>Gives a request access to the CPU worker that it runs on.</summary>
public static class CpuTaskHttpContextExtensions
{
    /// <summary>Returns the request's task, for its checkpoints.</summary>
    /// <remarks>
    /// For handlers of endpoints with <c>RequireCpuWorker()</c>, and what they call, until they return.
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
    /// <returns>The task; its checkpoints throw <see cref="OperationCanceledException"/> once the request is aborted.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="context"/> is <see langword="null"/>.</exception>
    /// <exception cref="InvalidOperationException">The request's endpoint does not have <c>RequireCpuWorker()</c>.</exception>
    public static CpuTaskContext GetCpuTask(this HttpContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        return context.Features.Get<StrongBox<CpuTaskContext>>() is { } task
            ? task.Value
            : throw new InvalidOperationException("The request does not run on a CPU worker: its endpoint needs RequireCpuWorker().");
    }
}
