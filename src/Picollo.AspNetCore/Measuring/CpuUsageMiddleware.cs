using Picollo.Cpu;

namespace Picollo.AspNetCore.Measuring;

/// <summary>Measures each request from here to the end of the pipeline, unless an outer middleware already measures it.</summary>
/// <remarks>
/// <para>A request that ends without a wait costs two readings of the thread's CPU clock (more if user and kernel time are measured
/// separately) and four objects of 328 bytes in total: the request, the watcher, and the execution context and its map that the runtime
/// creates for it. If the host has put an <see cref="System.Diagnostics.Activity"/> into the context (it does if any logger is enabled),
/// the runtime creates a larger map and an array: five objects, 376 bytes. They are not pooled, because work that outlives its request
/// still refers to them.</para>
/// <para>At the end, the execution context with which the request arrived is restored, which allocates nothing.</para>
/// </remarks>
internal sealed class CpuUsageMiddleware(RequestDelegate next, RequestReporter reporter, PicolloRequestOptions options)
{
    private readonly BranchPrefixes _prefixes = BranchPrefixes.FromPipeline(next);
    private readonly bool _serverTiming = options.AddServerTiming;

    // Not async, so that a request that ends without a wait does not allocate a state machine.
    public Task Invoke(HttpContext context)
    {
        // If the flow of the execution context is suppressed (no server does this), the request cannot be followed.
        if (ExecutionContext.Capture() is not { } before || RequestRun.Start(context, _prefixes, reporter) is not { } measured)
        {
            return next(context);
        }

        CpuUsageAsyncWatcher watcher = RunValues.StartWatcher(options);
        reporter.Running.Add(measured, watcher);
        measured.SetLabel();
        Task request;
        try
        {
            // Middleware before this one may have started the response.
            if (_serverTiming && !context.Response.HasStarted)
            {
                // Callbacks run in reverse order, so this one runs after those that the application registers later.
                context.Response.OnStarting(
                    static state => AddServerTiming(((HttpContext, CpuUsageAsyncWatcher))state), (context, watcher));
            }

            request = next(context);
        }
        catch (Exception failure)
        {
            End(context, measured, watcher, before, failure);
            throw;
        }

        if (request.IsCompleted)
        {
            End(context, measured, watcher, before, FailureOf(request));
            return request;
        }

        Task all = EndLater(request, context, measured, watcher, before);
        ExecutionContext.Restore(before);
        return all;
    }

    private async Task EndLater(
        Task request, HttpContext context, RequestRun measured, CpuUsageAsyncWatcher watcher, ExecutionContext before)
    {
        await request.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        End(context, measured, watcher, before, FailureOf(request));
        await request.ConfigureAwait(false); // rethrows the exception of the request
    }

    private void End(
        HttpContext context, RequestRun measured, CpuUsageAsyncWatcher watcher, ExecutionContext before, Exception? failure)
    {
        try
        {
            reporter.End(context, measured, watcher, before, failure);
        }
        finally
        {
            measured.End();
        }
    }

    /// <summary>Adds the header <c>Server-Timing</c> (W3C Server Timing) with the times until the headers are sent.</summary>
    private static Task AddServerTiming((HttpContext Context, CpuUsageAsyncWatcher Watcher) request)
    {
        RunValues run = new(request.Watcher);
        request.Context.Response.Headers.Append("Server-Timing", string.Create(
            CultureInfo.InvariantCulture,
            $"cpu;dur={run.CpuNanoseconds / 1e6:0.###}, total;dur={run.WallNanoseconds / 1e6:0.###}"));
        return Task.CompletedTask;
    }

    private static Exception? FailureOf(Task ended) => ended.Status switch
    {
        TaskStatus.RanToCompletion => null,
        TaskStatus.Faulted => ended.Exception!.InnerException,
        _ => new TaskCanceledException(ended),
    };
}
