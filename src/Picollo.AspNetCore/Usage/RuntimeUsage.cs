using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Usage;

/// <summary>The application's <see cref="RuntimeMeter"/>, from the start of the host until its end, if the options request it.
/// Thread-safe.</summary>
internal sealed class RuntimeUsage(IOptions<PicolloOptions> options, HdrHistogramRegistry registry, ILoggerFactory loggers)
    : IHostedService, IDisposable
{
    private volatile RuntimeMeter? _meter;

    /// <summary>The totals until now; null if the runtime is not measured.</summary>
    public RuntimeTotals? Totals => _meter?.GetTotals();

    /// <summary>What cannot be measured, and why.</summary>
    public IReadOnlyList<string> UnavailableReasons => _meter?.UnavailableReasons ?? [];

    /// <exception cref="ArgumentException">The application has registered the histograms of its own meter.</exception>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        if (options.Value.MeasureRuntime && _meter is null)
        {
            _meter = RuntimeMeter.Start(registry);
            foreach (string reason in _meter.UnavailableReasons)
            {
                loggers.CreateLogger("Picollo.AspNetCore.Runtime").LogRuntimeUnavailable(reason);
            }
        }

        return Task.CompletedTask;
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        Dispose();
        return Task.CompletedTask;
    }

    public void Dispose()
    {
        _meter?.Dispose();
        _meter = null;
    }
}

/// <summary>What the runtime has done.</summary>
/// <param name="Totals">Until now.</param>
/// <param name="PauseShare">The share of the window of the reading in which collections stopped all threads, 0 to 1.</param>
/// <param name="AllocationRate">Allocated bytes per second over that window.</param>
/// <param name="ExceptionRate">Exceptions per second over that window.</param>
/// <param name="UnavailableReasons">What cannot be measured, and why.</param>
internal sealed record RuntimeReading(
    RuntimeTotals Totals, double PauseShare, double AllocationRate, double ExceptionRate, IReadOnlyList<string> UnavailableReasons);
