using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Reading;

/// <summary>Runs the application's <see cref="RuntimeMeter"/> from the start to the stop of the host, if the options request it.
/// Thread-safe.</summary>
internal sealed class RuntimeService(IOptions<PicolloOptions> options, HdrHistogramRegistry registry, ILoggerFactory loggers)
    : IHostedService, IDisposable
{
    private volatile RuntimeMeter? _meter;

    /// <summary>The current totals; null if the runtime is not measured.</summary>
    public RuntimeTotals? Totals => _meter?.GetTotals();

    /// <summary>Returns the totals and the rates since earlier totals.</summary>
    /// <param name="totals">The current totals.</param>
    /// <param name="before">The totals at the start of the window.</param>
    /// <param name="seconds">The length of the window.</param>
    public RuntimeReading Read(RuntimeTotals totals, RuntimeTotals before, double seconds) => new(
        totals,
        (totals.GcPauseTime - before.GcPauseTime).TotalSeconds / seconds,
        (totals.AllocatedBytes - before.AllocatedBytes) / seconds,
        (totals.ExceptionCount - before.ExceptionCount) / seconds,
        _meter?.UnavailableReasons ?? []);

    /// <exception cref="ArgumentException">The application has registered the histograms of another <see cref="RuntimeMeter"/>.</exception>
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

/// <summary>The state of the runtime at a moment.</summary>
/// <param name="Totals">The totals at the time of the reading.</param>
/// <param name="PauseShare">The share of the window of the reading in which collections paused all threads, 0 to 1.</param>
/// <param name="AllocationRate">The number of bytes allocated per second in that window.</param>
/// <param name="ExceptionRate">The number of exceptions per second in that window.</param>
/// <param name="UnavailableReasons">The reasons why values cannot be measured.</param>
internal sealed record RuntimeReading(
    RuntimeTotals Totals, double PauseShare, double AllocationRate, double ExceptionRate, IReadOnlyList<string> UnavailableReasons);
