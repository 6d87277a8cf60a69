using System.Collections.Concurrent;
using Microsoft.AspNetCore.Http;

namespace Picollo.Export.Tests;

/// <summary>A receiver, exporters that send to it, and a clock that the tests advance.</summary>
public abstract class OtlpTests : IAsyncLifetime
{
    // Longer than any backoff, so a timer that is shorter is a backoff or a pause.
    private protected static readonly TimeSpan RequestTimeout = TimeSpan.FromHours(1);
    private protected static readonly TimeSpan Rarely = TimeSpan.FromDays(1);

    private protected readonly ManualTime _time = new(new DateTimeOffset(2026, 11, 25, 0, 0, 0, TimeSpan.Zero));
    private protected readonly HdrHistogramRegistry _registry = new();
    private protected readonly ConcurrentQueue<Exception> _errors = new();
    private protected readonly List<OtlpExporter> _exporters = [];
    private protected OtlpReceiver _receiver = null!;

    private protected virtual bool UsesGrpc => false;

    public async Task InitializeAsync() => _receiver = await OtlpReceiver.StartAsync(isGrpc: UsesGrpc);

    // An export at the end may wait until a backoff or its limit ends.
    public async Task DisposeAsync()
    {
        foreach (OtlpExporter exporter in _exporters)
        {
            Task end = exporter.DisposeAsync().AsTask();
            while (!end.IsCompleted)
            {
                _time.Advance(TimeSpan.FromSeconds(5));
                await Task.Delay(1);
            }
        }

        await _receiver.DisposeAsync();
    }

    private protected OtlpExporter Exporter(Action<OtlpExportOptions>? configure = null)
    {
        OtlpExportOptions options = new()
        {
            Endpoint = _receiver.Endpoint,
            Interval = Rarely,
            Timeout = RequestTimeout,
            TimeProvider = _time,
            OnError = _errors.Enqueue,
            UseExponentialHistograms = true,
            UseGrpc = UsesGrpc,
        };
        configure?.Invoke(options);
        OtlpExporter exporter = OtlpExporter.Start(_registry, options);
        _exporters.Add(exporter);
        return exporter;
    }

    private protected static Task NeverAsync(HttpContext context) =>
        Task.Delay(Timeout.Infinite, context.RequestAborted).ContinueWith(_ => { }, TaskScheduler.Default);

    /// <summary>Advances the time to each backoff and pause until an export completes, but not to its limit. Returns the waits.</summary>
    internal static async Task<List<TimeSpan>> AdvanceAsync(Task flush, ManualTime time)
    {
        List<TimeSpan> waits = [];
        TimeSpan untilLimit = TimeSpan.FromSeconds(5);
        while (!flush.IsCompleted)
        {
            if (time.UntilNext is { } next && next < untilLimit)
            {
                waits.Add(next);
                untilLimit -= next;
                time.Advance(next);
            }

            await Task.Delay(1);
        }

        return waits;
    }

    private protected async Task<List<TimeSpan>> AdvanceAsync(Task<bool> flush, bool expected)
    {
        List<TimeSpan> waits = await AdvanceAsync(flush, _time);
        (await flush).Should().Be(expected);
        return waits;
    }

    private protected static async Task UntilAsync(Func<bool> condition)
    {
        while (!condition())
        {
            await Task.Delay(1);
        }
    }

    /// <summary>Waits until no request is in flight and the exporter is waiting for a backoff or its next interval.</summary>
    private protected Task TimerAsync(TimeSpan within) =>
        UntilAsync(() => !_time.Has(RequestTimeout) && _time.UntilNext is { } next && next <= within);
}
