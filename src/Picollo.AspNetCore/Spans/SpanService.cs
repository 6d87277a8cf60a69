using Picollo.Diagnostics;

namespace Picollo.AspNetCore.Spans;

/// <summary>Disposes an <see cref="ActivityCpuUsage"/> with the host, and logs its problems.</summary>
internal sealed class SpanService(ActivityCpuUsage spans, ILoggerFactory loggers, IHostApplicationLifetime lifetime)
    : IHostedService, IDisposable
{
    private CancellationTokenRegistration _started;

    public Task StartAsync(CancellationToken cancellationToken)
    {
        // After startup, when the sources of all services exist.
        _started = lifetime.ApplicationStarted.Register(LogProblems);
        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose()
    {
        _started.Dispose();
        spans.Dispose();
    }

    private void LogProblems()
    {
        ILogger logger = loggers.CreateLogger("Picollo.AspNetCore.Spans");
        if (spans.UnavailableReason is { } reason)
        {
            logger.LogSpansUnavailable(reason);
        }

        if (spans.LateSource is { } source)
        {
            logger.LogLateSource(source);
        }
    }
}
