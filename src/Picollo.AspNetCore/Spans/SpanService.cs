using Picollo.Diagnostics;

namespace Picollo.AspNetCore.Spans;

/// <summary>Runs an <see cref="ActivityCpuMeter"/> from before the start of the host's services until the host is disposed, and logs
/// its problems.</summary>
internal sealed class SpanService(string[] sources, ILoggerFactory loggers, IHostApplicationLifetime lifetime)
    : IHostedLifecycleService, IDisposable
{
    private ActivityCpuMeter? _spans;
    private CancellationTokenRegistration _started;

    public Task StartingAsync(CancellationToken cancellationToken)
    {
        _spans ??= ActivityCpuMeter.Start(sources);
        return Task.CompletedTask;
    }

    public Task StartAsync(CancellationToken cancellationToken)
    {
        // After startup, when the sources of all services exist.
        _started = lifetime.ApplicationStarted.Register(LogProblems);
        return StartingAsync(cancellationToken); // for hosts that do not call it
    }

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    // The container disposes this service, after the tracer, which exports the last spans when it is disposed.
    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose()
    {
        _started.Dispose();
        _spans?.Dispose();
    }

    private void LogProblems()
    {
        ILogger logger = loggers.CreateLogger("Picollo.AspNetCore.Spans");
        if (_spans?.UnavailableReason is { } reason)
        {
            logger.LogSpansUnavailable(reason);
        }

        if (_spans?.LateSource is { } source)
        {
            logger.LogLateSource(source);
        }
    }
}
