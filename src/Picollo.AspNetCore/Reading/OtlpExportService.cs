using System.Text.RegularExpressions;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Measuring;
using Picollo.Export;

namespace Picollo.AspNetCore.Reading;

/// <summary>Exports all metrics of the exposition while the application runs, and exports the remaining values when it stops.</summary>
internal sealed partial class OtlpExportService(
    PageRows rows,
    ExpositionCounters counters,
    RequestReporter reporter,
    IOptions<OtlpExportOptions> options,
    IConfiguration configuration,
    IServiceProvider services,
    IHostEnvironment environment,
    ILoggerFactory loggers)
    : IHostedService, IAsyncDisposable
{
    public const string LogCategory = "Picollo.AspNetCore.OtlpExport";

    private readonly ILogger _logger = loggers.CreateLogger(LogCategory);
    private OtlpExporter? _exporter;
    private (string Message, long CompleteExports) _lastLogged; // not synchronized: errors are reported one at a time

    public Task StartAsync(CancellationToken cancellationToken)
    {
        OtlpExportOptions all = options.Value;
        Action<Exception>? onError = all.OnError;
        all.OnError = error =>
        {
            Log(error);
            onError?.Invoke(error);
        };

        if (all.ExcludeConventionMetrics is null && HasMeterProvider())
        {
            all.ExcludeConventionMetrics = true;
            _logger.LogConventionsExcluded();
        }

        // The configuration contains the environment variables.
        _exporter = new OtlpExporter(
            () => rows.Exposed, all, name => configuration[name], environment.ApplicationName, counters.Read);
        return Task.CompletedTask;
    }

    // The server has already stopped, because services stop in reverse order.
    public Task StopAsync(CancellationToken cancellationToken)
    {
        reporter.Late.AddAll(); // the last export contains the states of all requests
        return DisposeAsync().AsTask();
    }

    // Without a reference to the package. The type is kept when the application is trimmed, because its name is constant.
    private bool HasMeterProvider() =>
        Type.GetType("OpenTelemetry.Metrics.MeterProvider, OpenTelemetry.Api") is { } provider
        && services.GetService<IServiceProviderIsService>()?.IsService(provider) == true;

    public ValueTask DisposeAsync() => _exporter?.DisposeAsync() ?? default;

    // Skips repeated errors, because an outage, or a receiver that rejects some metrics, would log the same error at each interval. The
    // numbers of rejected data points differ, because new series appear and deltas contain only those with new values.
    private void Log(Exception error)
    {
        (string, long) now = (Rejected().Replace(error.Message, ""), _exporter?.CompleteExportCount ?? 0);
        if (now != _lastLogged)
        {
            _lastLogged = now;
            _logger.LogExportFailed(error.Message);
        }
    }

    [GeneratedRegex("[0-9]+ of [0-9]+")]
    private static partial Regex Rejected();
}
