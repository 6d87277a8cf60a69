namespace Picollo.Export;

/// <summary>Pushes histograms to an OpenTelemetry receiver, such as a collector, as exponential histograms. The protocol is OTLP over HTTP,
/// in protobuf.</summary>
/// <remarks>
/// <para><b>Values</b> are in buckets that are 2.2 % wide (scale 5), in the unit of the description, with the unit codes of OpenTelemetry
/// (<c>s</c>, <c>By</c>). The error of a quantile is that of <see cref="PrometheusWriter"/> with its default schema. Names and labels are
/// exported as they were registered.</para>
/// <para><b>Failures.</b> Failed connections, requests that time out, and the status codes 429, 502, 503 and 504 are retried until the next
/// export is due. The backoff is exponential, from 1 to 30 seconds; if the response has <c>Retry-After</c>, its time is used instead, up to
/// 10 minutes. Values that a receiver has not accepted are not lost while the process runs, whatever the error: the next export contains
/// them, because cumulative values contain all earlier ones, and a delta starts at the end of the last accepted one. Memory is therefore
/// bounded by two readings of each series, without a queue. Two kinds of values are lost: those of a histogram that is reset or disposed
/// before they are accepted, and those of more than 1,000 removed histograms. As with every protocol that retries, a delta is counted twice
/// if the response that accepts it is lost.</para>
/// <para><b>Requests</b> contain at most 1,000 data points each. They create no spans.</para>
/// <para><b>Shutdown.</b> <see cref="DisposeAsync"/> exports the remaining values, and takes at most 5 seconds. The exporter does not keep
/// a process running, so dispose it.</para>
/// <para>Thread-safe.</para>
/// <example>
/// <code>
/// await using OtlpExporter exporter = new(registry, new() { Endpoint = new Uri("http://collector:4318/v1/metrics") });
/// </code>
/// </example>
/// </remarks>
public sealed class OtlpExporter : IAsyncDisposable, IDisposable
{
    private const int PointsPerRequest = 1_000;

    private static readonly TimeSpan LongestFlush = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan FirstBackoff = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestBackoff = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan LongestRetryAfter = TimeSpan.FromMinutes(10);

    private readonly OtlpSettings _settings;
    private readonly OtlpCollector _collector;
    private readonly OtlpSender _sender;
    private readonly Action<Exception>? _onError;
    private readonly TimeProvider _time;
    private readonly ProtobufBuffer _buffer = new();
    private readonly SemaphoreSlim _gate = new(1, 1);
    private readonly Lock _disposing = new();
    private readonly CancellationTokenSource _stop = new(); // ends waits
    private readonly CancellationTokenSource _end = new(); // ends requests
    private readonly Task _loop;
    private Task? _disposal;
    private long _notBefore; // the timestamp before which the receiver accepts no request
    private Exception? _lastError;
    private volatile int _callbackThread; // the managed ID of the thread that runs OnError; 0 for none
    private long _exported;
    private long _rejected;

    /// <summary>Starts exporting all histograms of a registry.</summary>
    /// <param name="registry">The registry. Histograms that are registered later are exported, too.</param>
    /// <param name="options">The options; <see langword="null"/> for those of the environment variables.</param>
    /// <exception cref="ArgumentNullException"><paramref name="registry"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">An option is invalid.</exception>
    public OtlpExporter(HdrHistogramRegistry registry, OtlpExporterOptions? options = null)
        : this(ReaderOf(registry), options, Environment.GetEnvironmentVariable, null)
    {
    }

    /// <param name="histograms">Returns the histograms of each export. Must return the same objects each time.</param>
    /// <param name="options">The options; null for those of the environment variables.</param>
    /// <param name="variables">Returns the value of an environment variable; null if it is not set.</param>
    /// <param name="defaultServiceName">The service name if none is configured; null for the name of the process.</param>
    internal OtlpExporter(
        Func<IReadOnlyList<HdrHistogramRegistration>> histograms,
        OtlpExporterOptions? options,
        Func<string, string?> variables,
        string? defaultServiceName)
    {
        options ??= new OtlpExporterOptions();
        (_time, _onError) = (options.TimeProvider, options.OnError);
        _settings = new OtlpSettings(options, variables, defaultServiceName);
        _collector = new OtlpCollector(histograms, _settings.IsDelta, _time);
        _sender = new OtlpSender(_settings, _time);
        _notBefore = _time.GetTimestamp();
        foreach (string warning in _settings.Warnings)
        {
            Report(new ArgumentException(warning));
        }

        // The loop must not inherit the context of a request that creates the exporter.
        using AsyncFlowControl? flow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        _loop = _settings.IsDisabled ? Task.CompletedTask : Task.Run(RunAsync);
    }

    /// <summary>The error of the last export, or, before the first export, of an ignored environment variable; <see langword="null"/> if
    /// the last export was accepted.</summary>
    public Exception? LastError => Volatile.Read(ref _lastError);

    /// <summary>The number of data points that the receiver has accepted.</summary>
    public long ExportedCount => Interlocked.Read(ref _exported);

    /// <summary>The number of data points that the receiver has rejected in requests that it accepted. They are lost.</summary>
    public long RejectedCount => Interlocked.Read(ref _rejected);

    /// <summary>Exports now, with retries for at most 5 seconds.</summary>
    /// <param name="cancellationToken">The token to cancel the export. Values that were not accepted are exported later.</param>
    /// <returns><see langword="true"/> if the receiver has accepted all data points, or <c>OTEL_SDK_DISABLED</c> is <c>true</c>; otherwise,
    /// <see langword="false"/>.</returns>
    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    /// <exception cref="ObjectDisposedException">The exporter is disposed.</exception>
    public async Task<bool> FlushAsync(CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(Volatile.Read(ref _disposal) is not null, this);
        using CancellationTokenSource either = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken, _end.Token);
        try
        {
            return await ExportAsync(LongestFlush, either.Token, either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            throw new OperationCanceledException(cancellationToken);
        }
        catch (OperationCanceledException)
        {
            return false; // disposed meanwhile
        }
    }

    /// <summary>Exports the remaining values and stops. Takes at most 5 seconds. <see cref="LastError"/> has the error.</summary>
    /// <returns>A task that completes when the exporter has stopped. It does not throw.</returns>
    public ValueTask DisposeAsync()
    {
        lock (_disposing)
        {
            return new(_disposal ??= StopAsync());
        }
    }

    /// <summary>Stops the exporter like <see cref="DisposeAsync"/>, and blocks until the exporter has stopped. In
    /// <see cref="OtlpExporterOptions.OnError"/> it does not block.</summary>
    public void Dispose()
    {
        Task end = Task.Run(() => DisposeAsync().AsTask());
        if (_callbackThread != Environment.CurrentManagedThreadId)
        {
            end.GetAwaiter().GetResult();
        }
    }

    private static Func<IReadOnlyList<HdrHistogramRegistration>> ReaderOf(HdrHistogramRegistry registry)
    {
        ArgumentNullException.ThrowIfNull(registry);
        return () => registry.Registrations;
    }

    private async Task StopAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        using (_time.CreateTimer(static end => ((CancellationTokenSource)end!).Cancel(), _end, LongestFlush, Timeout.InfiniteTimeSpan))
        {
            await _loop.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                await ExportAsync(LongestFlush, _end.Token, _end.Token).ConfigureAwait(false);
            }
            catch (OperationCanceledException)
            {
                Report(new TimeoutException($"The last export was not accepted within {LongestFlush.TotalSeconds:0} s."));
            }
            catch (Exception e)
            {
                Report(e);
            }
        }

        await _end.CancelAsync().ConfigureAwait(false); // ends a flush that is still waiting
        _sender.Dispose();
        _stop.Dispose();
    }

    private async Task RunAsync()
    {
        long next = _time.GetTimestamp();
        while (true)
        {
            next = Math.Max(next + TimestampsOf(_settings.Interval), Volatile.Read(ref _notBefore));
            await DelayAsync(TimeUntil(next), _stop.Token).ConfigureAwait(false);
            try
            {
                await ExportAsync(_settings.Interval, _stop.Token, _end.Token).ConfigureAwait(false);
            }
            catch (Exception e) when (!_stop.IsCancellationRequested)
            {
                Report(e); // a defect of the exporter that may not affect the next export
            }

            next = Math.Max(next, _time.GetTimestamp() - TimestampsOf(_settings.Interval)); // missed exports are skipped
        }
    }

    /// <summary>Reads all histograms and sends them, with retries until a deadline.</summary>
    /// <returns><see langword="true"/> if all data points were accepted; otherwise, <see langword="false"/>.</returns>
    private async Task<bool> ExportAsync(TimeSpan longest, CancellationToken stopWaiting, CancellationToken stopSending)
    {
        if (_settings.IsDisabled)
        {
            return true;
        }

        long deadline = _time.GetTimestamp() + TimestampsOf(longest);
        await _gate.WaitAsync(stopWaiting).ConfigureAwait(false);
        Exception? error = null;
        try
        {
            foreach (OtlpPoint[] batch in _collector.Collect().Chunk(PointsPerRequest))
            {
                OtlpRequest.Write(_buffer, _settings.Resource, batch, _settings.IsDelta);
                OtlpResult result = await SendAsync(deadline, stopWaiting, stopSending).ConfigureAwait(false);
                if (result.Error is null)
                {
                    _collector.Accept(batch);
                    long rejected = Math.Min(result.RejectedPoints, batch.Length);
                    Interlocked.Add(ref _exported, batch.Length - rejected);
                    Interlocked.Add(ref _rejected, rejected);
                    error ??= rejected == 0 ? null : new HttpRequestException(
                        $"{_settings.EndpointText} rejected {rejected} of {batch.Length} data points.");
                    continue;
                }

                error = result.Error;
                if (result.MayRetry)
                {
                    break; // the other requests would fail, too
                }
            }

            Volatile.Write(ref _lastError, error);
        }
        finally
        {
            _gate.Release();
        }

        if (error is not null)
        {
            Notify(error); // after the release, because the callback may flush
        }

        return error is null;
    }

    /// <summary>Sends the message until it is accepted, may not be sent again, or the deadline has passed.</summary>
    private async Task<OtlpResult> SendAsync(long deadline, CancellationToken stopWaiting, CancellationToken stopSending)
    {
        TimeSpan backoff = FirstBackoff;
        long next = _notBefore;
        if (next > deadline)
        {
            string problem = $"{_settings.EndpointText} requested a longer wait before the next request (Retry-After).";
            return new(new HttpRequestException(problem), true, null, 0);
        }

        while (true)
        {
            await DelayAsync(TimeUntil(next), stopWaiting).ConfigureAwait(false);
            OtlpResult result = await _sender.SendAsync(_buffer.WrittenMemory, stopSending).ConfigureAwait(false);
            if (!result.MayRetry)
            {
                return result;
            }

            // Only a wait that the receiver requested also applies to later exports, such as the last one.
            if (result.RetryAfter is { } after)
            {
                next = _time.GetTimestamp() + TimestampsOf(after < LongestRetryAfter ? after : LongestRetryAfter);
                Volatile.Write(ref _notBefore, next);
            }
            else
            {
                // Jitter prevents that the processes of a fleet retry at the same time.
                next = _time.GetTimestamp() + TimestampsOf(backoff * (0.8 + (0.4 * Random.Shared.NextDouble())));
                backoff = backoff * 2 < LongestBackoff ? backoff * 2 : LongestBackoff;
            }

            if (next > deadline)
            {
                return result;
            }
        }
    }

    private void Report(Exception error)
    {
        Volatile.Write(ref _lastError, error);
        Notify(error);
    }

    private void Notify(Exception error)
    {
        _callbackThread = Environment.CurrentManagedThreadId;
        try
        {
            _onError?.Invoke(error);
        }
        catch (Exception)
        {
            // The callback is the application's code.
        }

        _callbackThread = 0;
    }

    private Task DelayAsync(TimeSpan time, CancellationToken stop) =>
        time > TimeSpan.Zero ? Task.Delay(time, _time, stop) : Task.CompletedTask;

    private TimeSpan TimeUntil(long timestamp) => _time.GetElapsedTime(_time.GetTimestamp(), timestamp);

    private long TimestampsOf(TimeSpan time) => (long)(time.TotalSeconds * _time.TimestampFrequency);
}
