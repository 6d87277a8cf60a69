using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;
using Picollo.Scheduling;

namespace Picollo.AspNetCore.Workers;

/// <summary>The application's pool for endpoints with <c>RequireCpuWorker()</c>, made for the first of their requests, and what it lets
/// in.</summary>
/// <remarks>Hosted services stop in the opposite order of their registration: the server, which comes last, has waited for its requests
/// before this one drains the pool.</remarks>
internal sealed class CpuWorkers(IOptions<PicolloOptions> options) : IHostedService, IDisposable
{
    private readonly Lock _gate = new();
    private readonly int _queueLimit = options.Value.CpuWorkerQueueLimit;
    private readonly Lazy<CpuWorkerPool> _pool = new(() => new CpuWorkerPool(options.Value.CpuWorkers));

    /// <summary>The pool.</summary>
    public CpuWorkerPool Pool => _pool.Value;

    /// <summary>Whether there has been a first request.</summary>
    public bool IsStarted => _pool.IsValueCreated;

    /// <summary>Runs an endpoint in the pool.</summary>
    /// <returns>Null, and nothing is run, if as many requests wait as may, or the application stops.</returns>
    public Task? TryRun(HttpContext context, RequestDelegate endpoint, string name)
    {
        // One at a time, so that no two take the last place.
        lock (_gate)
        {
            return HasPlace() ? Run(context, endpoint, name) : null;
        }
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Waits for what is in the pool; cancels it when the host's time to stop is over, and waits no longer.</summary>
    public async Task StopAsync(CancellationToken cancellationToken)
    {
        try
        {
            await (IsStarted ? Pool.DrainAsync(cancellationToken).WaitAsync(cancellationToken) : Task.CompletedTask).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // What is left has been cancelled.
        }
    }

    /// <summary>Cancels what is left and waits for nobody: the threads end with the last task, at its next checkpoint.</summary>
    public void Dispose()
    {
        if (IsStarted)
        {
            _ = Pool.DrainAsync(new CancellationToken(canceled: true));
        }
    }

    private Task? Run(HttpContext context, RequestDelegate endpoint, string name)
    {
        try
        {
            return Pool.RunAsync(
                cpu =>
                {
                    context.Features.Set(new CpuTaskFeature(cpu));
                    return endpoint(context);
                },
                context.RequestAborted,
                name: name);
        }
        catch (ObjectDisposedException)
        {
            return null; // Drained, before a server that stops later.
        }
    }

    /// <summary>Tasks that wait for a worker, new ones and those set aside. One that a worker is about to take waits still, so where the
    /// limit seems reached those count that run, as well as the workers.</summary>
    private bool HasPlace()
    {
        CpuWorkerStatistics statistics = Pool.Statistics;
        return statistics.Waiting < _queueLimit || statistics.GetRunning().Count + statistics.Waiting < _queueLimit + Pool.WorkerCount;
    }
}
