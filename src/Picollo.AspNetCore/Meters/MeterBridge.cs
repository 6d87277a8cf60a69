using System.Diagnostics.Metrics;
using Picollo.AspNetCore.Measuring;
using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.AspNetCore.Meters;

/// <summary>Records the meters of <see cref="PicolloOptions.Meters"/> into the application's registry. Recording starts before the
/// application's other services and ends when this object is disposed.</summary>
/// <remarks>
/// Two sources are excluded:
/// <list type="bullet">
/// <item>Measurements of the middleware itself: its own meter and, if <c>UsePicollo()</c> is called, the server's
/// <c>http.server.request.duration</c>. The rows of routes and the exposition already contain the duration by method, route and status,
/// under the name that this instrument would get. A sum over the name would count each request twice.</item>
/// <item>Meters of another <see cref="IMeterFactory"/>, which belongs to another application in this process.</item>
/// </list>
/// </remarks>
internal sealed class MeterBridge(
    HdrHistogramRegistry registry, IMeterFactory meters, IOptions<PicolloOptions> options, ILoggerFactory loggers)
    : IHostedLifecycleService, IDisposable
{
    private const string ServerMeter = "Microsoft.AspNetCore.Hosting";
    private const string ServerDuration = "http.server.request.duration";

    private readonly Lock _gate = new();
    private MeterHistograms? _histograms; // guarded by the gate
    private bool _hasMiddleware; // guarded by the gate

    /// <summary>The recorded histograms; null if no meters were added, or before the application starts.</summary>
    public MeterHistograms? Histograms
    {
        get
        {
            lock (_gate)
            {
                return _histograms;
            }
        }
    }

    /// <summary>The maximum number of series of an instrument, which the page shows after an overflow.</summary>
    public int MaxSeries => options.Value.Meters.MaxSeries;

    /// <summary>Excludes the server's request duration from now on, because the middleware measures it.</summary>
    public void ExcludeServerDuration()
    {
        lock (_gate)
        {
            _hasMiddleware = true;
            _histograms?.Exclude(IsMeasuredByMiddleware);
        }
    }

    public Task StartingAsync(CancellationToken cancellationToken)
    {
        Start();
        return Task.CompletedTask;
    }

    public Task StartAsync(CancellationToken cancellationToken)
    {
        Start(); // for hosts that do not call StartingAsync
        return Task.CompletedTask;
    }

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public void Dispose() => Histograms?.Dispose();

    private void Start()
    {
        if (options.Value.Meters.MeterNames.Count == 0)
        {
            return;
        }

        lock (_gate)
        {
            if (_histograms is not null)
            {
                return;
            }

            MeterHistogramsOptions chosen = options.Value.Meters.Copy();
            bool hasMiddleware = _hasMiddleware;
            chosen.IsExcluded = instrument => instrument.Meter.Name == CpuTimeInstrument.MeterName
                || (instrument.Meter.Scope is IMeterFactory factory && factory != meters)
                || (hasMiddleware && IsMeasuredByMiddleware(instrument));
            _histograms = MeterHistograms.Start(registry, chosen);
        }

        if (Histograms?.UnavailableReason is { } reason)
        {
            loggers.CreateLogger("Picollo.AspNetCore.Meters").LogMetersUnavailable(reason);
        }
    }

    private static bool IsMeasuredByMiddleware(Instrument instrument) =>
        instrument.Name == ServerDuration && instrument.Meter.Name == ServerMeter;
}
