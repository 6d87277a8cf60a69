using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Picollo.Scheduling;

namespace Picollo.AspNetCore.Workers;

/// <summary>The application's pool for endpoints with <c>RequireCpuWorker()</c>, created for the first of their requests, and its
/// admission limit.</summary>
/// <remarks>Hosted services stop in the reverse order of their registration: the server is registered last, so it has waited for its
/// requests before this service drains the pool.</remarks>
internal sealed class CpuWorkers : IHostedService, IDisposable
{
    private readonly Lock _gate = new();
    private readonly int _queueLimit;
    private readonly ILogger _logger;
    private readonly Lazy<CpuWorkerPool> _pool;

    // Of bodies that were logged. As many as there are endpoints.
    private readonly ConcurrentDictionary<string, bool> _logged = new();

    public CpuWorkers(IOptions<PicolloOptions> options, ILoggerFactory loggers)
    {
        _queueLimit = options.Value.CpuWorkerQueueLimit;
        _logger = loggers.CreateLogger("Picollo.AspNetCore.Workers");

        // The other modes would keep an exception. The gate prevents a second pool.
        _pool = new(() => Create(options.Value.CpuWorkers), LazyThreadSafetyMode.PublicationOnly);
    }

    public CpuWorkerPool Pool => _pool.Value;

    /// <summary>Whether there was a first request.</summary>
    public bool IsStarted => _pool.IsValueCreated;

    /// <summary>Runs an endpoint in the pool.</summary>
    /// <returns>Null, and the endpoint is not run, if the queue is full or the application stops.</returns>
    public Task? TryRun(HttpContext context, RequestDelegate endpoint, CpuTaskOptions options)
    {
        // One at a time, so that no two take the last place.
        lock (_gate)
        {
            return HasPlace() ? Run(context, endpoint, options) : null;
        }
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Waits for the tasks in the pool. When the host's time to stop is over, cancels them and returns.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        if (!IsStarted)
        {
            return;
        }

        try
        {
            await DrainAsync(cancellationToken).WaitAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The drain cancels the tasks.
        }
    }

    /// <summary>Cancels the remaining tasks without waiting: the threads end with the last task, at its next checkpoint.</summary>
    public void Dispose()
    {
        if (IsStarted)
        {
            _ = DrainAsync(new CancellationToken(canceled: true));
        }
    }

    private CpuWorkerPool Create(CpuWorkerPoolOptions options)
    {
        var pool = new CpuWorkerPool(options);
        pool.WorkerBlocked += (_, task) =>
        {
            if (_logged.TryAdd(task.Name, true))
            {
                _logger.LogBlocked(task.Name);
            }
        };
        return pool;
    }

    /// <summary>Drains the pool outside of the caller's flow: an endpoint in the pool may stop the application, and does not wait for its
    /// own end in that.</summary>
    private Task DrainAsync(CancellationToken cancellationToken)
    {
        using (ExecutionContext.SuppressFlow())
        {
            return Task.Run(() => Pool.DrainAsync(cancellationToken), CancellationToken.None);
        }
    }

    private Task? Run(HttpContext context, RequestDelegate endpoint, CpuTaskOptions options)
    {
        try
        {
            return Pool.RunAsync(
                cpu =>
                {
                    context.Features.Set(new StrongBox<CpuTaskContext>(cpu));
                    return endpoint(context);
                },
                options,
                context.RequestAborted);
        }
        catch (ObjectDisposedException)
        {
            return null; // The pool was drained before the server stopped.
        }
    }

    /// <summary>Whether fewer tasks wait for a worker, to start or to continue, than the limit allows. A task that a worker is about to
    /// take still counts as waiting; therefore, at the limit, running tasks and workers are counted, too.</summary>
    private bool HasPlace()
    {
        CpuWorkerStatistics statistics = Pool.Statistics;
        return statistics.Waiting < _queueLimit
            || statistics.GetRunning().Count + statistics.Waiting < _queueLimit + Pool.WorkerCount + statistics.ExtraThreads;
    }
}
