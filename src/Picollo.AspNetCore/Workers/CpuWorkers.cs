using System.Collections.Concurrent;
using Picollo.Scheduling;

namespace Picollo.AspNetCore.Workers;

/// <summary>The application's pool for endpoints with <c>RequireCpuWorker()</c>, which is created at the first request, and its queue
/// limit.</summary>
/// <remarks>Hosted services stop in the reverse order of their registration. The server is registered last, so it waits for its requests
/// before this service drains the pool.</remarks>
internal sealed class CpuWorkers : IHostedService, IDisposable
{
    private readonly Lock _gate = new();
    private readonly int _queueLimit;
    private readonly ILogger _logger;
    private readonly Lazy<CpuWorkerPool> _pool;

    // The names of tasks that were logged. Bounded by the number of endpoints.
    private readonly ConcurrentDictionary<string, bool> _logged = new();

    public CpuWorkers(IOptions<PicolloOptions> options, ILoggerFactory loggers)
    {
        _queueLimit = options.Value.CpuWorkerQueueLimit;
        _logger = loggers.CreateLogger("Picollo.AspNetCore.Workers");

        // The other modes would cache an exception. The gate prevents the creation of a second pool.
        _pool = new(() => Create(options.Value.CpuWorkers), LazyThreadSafetyMode.PublicationOnly);
    }

    public CpuWorkerPool Pool => _pool.Value;

    public bool IsStarted => _pool.IsValueCreated;

    /// <returns>A task that ends with the endpoint; null, and the endpoint is not run, if the queue is full or the application is
    /// stopping.</returns>
    public Task? TryRun(HttpContext context, RequestDelegate endpoint, CpuTaskOptions options)
    {
        // Under the lock, so that two requests cannot take the last place.
        lock (_gate)
        {
            return HasQueueSpace() ? Run(context, endpoint, options) : null;
        }
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Waits for the tasks in the pool. When the host's shutdown timeout expires, cancels them and returns.</summary>
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
            // DrainAsync cancels the tasks.
        }
    }

    /// <summary>Cancels the remaining tasks without waiting for them. The threads end when the last task reaches its next
    /// checkpoint.</summary>
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

    /// <summary>Drains the pool outside the caller's flow. Otherwise, an endpoint in the pool could not stop the application, because a
    /// task cannot wait for its own pool.</summary>
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

    /// <summary>Returns whether fewer tasks wait for a worker, to start or to continue, than the limit allows. A task that a worker is
    /// about to take still counts as waiting. Therefore, running tasks and workers are also compared when the limit is reached.</summary>
    private bool HasQueueSpace()
    {
        CpuWorkerStatistics statistics = Pool.Statistics;
        return statistics.WaitingCount < _queueLimit
            || statistics.GetRunningTasks().Count + statistics.WaitingCount < _queueLimit + Pool.WorkerCount + statistics.ExtraThreadCount;
    }
}
