namespace Picollo.Export;

/// <summary>Pushes histograms to an OpenTelemetry receiver, such as a collector, as exponential histograms: OTLP over HTTP, in
/// protobuf.</summary>
/// <remarks>
/// <para><b>Values</b> are in buckets that are 2.2 % wide (scale 5), in the unit of the description, with the codes of OpenTelemetry
/// (<c>s</c>, <c>By</c>). The error of a quantile is that of <see cref="PrometheusWriter"/> with its default schema. Names and labels are
/// exported as they were registered.</para>
/// <para><b>Failures.</b> A connection that fails, a request without an answer in time, and the status codes 429, 502, 503 and 504 are
/// retried with exponential backoff from 1 to 30 seconds, or after the time of <c>Retry-After</c>, at most 10 minutes, until the next
/// export is due. Nothing that a receiver has not accepted is lost while the process runs, whatever the error: the next export contains it,
/// because cumulative values contain all earlier ones, and a delta starts where the last accepted one has ended. Memory is therefore
/// bounded by two readings of each series, without a queue. Exceptions: values of a histogram that was reset or disposed before they were
/// accepted, and of more than 1,000 removed histograms. As with every protocol that retries, a delta whose acceptance did not arrive is
/// counted twice.</para>
/// <para><b>Requests</b> contain at most 1,000 data points each. They cause no spans.</para>
/// <para><b>End.</b> <see cref="DisposeAsync"/> exports what is left, and takes 5 seconds at most. The exporter does not keep a process
/// running: dispose it.</para>
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
    private long _notBefore; // a timestamp: the receiver demands no request until then
    private Exception? _lastError;
    private volatile int _callbackThread; // the managed ID of the thread that runs OnError; 0 for none
    private long _exported;
    private long _rejected;

    /// <summary>Starts to export all histograms of a registry.</summary>
    /// <param name="registry">The registry. What is registered later is exported, too.</param>
    /// <param name="options">The options; <see langword="null"/> for those of the environment.</param>
    /// <exception cref="ArgumentNullException"><paramref name="registry"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">An option is invalid.</exception>
    public OtlpExporter(HdrHistogramRegistry registry, OtlpExporterOptions? options = null)
        : this(ReaderOf(registry), options, Environment.GetEnvironmentVariable, null)
    {
    }

    /// <param name="histograms">The histograms of each export; the same objects each time.</param>
    /// <param name="options">As for the other constructor.</param>
    /// <param name="variables">Returns the value of an environment variable; null for none.</param>
    /// <param name="defaultServiceName">The name of the service unless it is set; null for that of the process.</param>
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

        // The loop belongs to no request that may have created the exporter.
        using AsyncFlowControl? flow = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        _loop = _settings.IsDisabled ? Task.CompletedTask : Task.Run(RunAsync);
    }

    /// <summary>The error of the last export, or, before the first, of a variable that is ignored; <see langword="null"/> if the
    /// last export was accepted.</summary>
    public Exception? LastError => Volatile.Read(ref _lastError);

    /// <summary>The number of data points that the receiver has accepted.</summary>
    public long ExportedCount => Interlocked.Read(ref _exported);

    /// <summary>The number of data points of accepted requests that the receiver has rejected. They are lost.</summary>
    public long RejectedCount => Interlocked.Read(ref _rejected);

    /// <summary>Exports now, with retries for at most 5 seconds.</summary>
    /// <param name="cancellationToken">Ends the export; what was not accepted is exported later.</param>
    /// <returns>Whether the receiver has accepted all data points; <see langword="true"/> if <c>OTEL_SDK_DISABLED</c> is
    /// <c>true</c>.</returns>
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

    /// <summary>Exports what is left, and stops. Takes 5 seconds at most; the error is in <see cref="LastError"/>.</summary>
    /// <returns>A task that ends when the exporter has stopped. It does not throw.</returns>
    public ValueTask DisposeAsync()
    {
        lock (_disposing)
        {
            return new(_disposal ??= StopAsync());
        }
    }

    /// <summary>Does the same as <see cref="DisposeAsync"/>, and blocks until the exporter has stopped. In
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

        await _end.CancelAsync().ConfigureAwait(false); // a flush that still waits
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
                Report(e); // a defect of this exporter, which the next export may not meet
            }

            next = Math.Max(next, _time.GetTimestamp() - TimestampsOf(_settings.Interval)); // exports that were missed are not made up for
        }
    }

    /// <summary>Reads all histograms and sends them, with retries within a time.</summary>
    /// <returns>Whether all were accepted.</returns>
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
                        $"{_settings.EndpointText} has rejected {rejected} of {batch.Length} data points.");
                    continue;
                }

                error = result.Error;
                if (result.MayRetry)
                {
                    break; // it will not answer the other requests either
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

    /// <summary>Sends the message until it is accepted or may not be sent again, or the deadline has come.</summary>
    private async Task<OtlpResult> SendAsync(long deadline, CancellationToken stopWaiting, CancellationToken stopSending)
    {
        TimeSpan backoff = FirstBackoff;
        while (true)
        {
            if (_notBefore > deadline)
            {
                return new(new HttpRequestException($"{_settings.EndpointText} demands a longer pause."), true, null, 0);
            }

            await DelayAsync(TimeUntil(_notBefore), stopWaiting).ConfigureAwait(false);
            OtlpResult result = await _sender.SendAsync(_buffer.WrittenMemory, stopSending).ConfigureAwait(false);
            if (!result.MayRetry)
            {
                return result;
            }

            // Jitter, so that the processes of a fleet do not all return at once.
            TimeSpan wait = backoff * (0.8 + (0.4 * Random.Shared.NextDouble()));
            wait = result.RetryAfter is not { } after ? wait : after < LongestRetryAfter ? after : LongestRetryAfter;
            backoff = backoff * 2 < LongestBackoff ? backoff * 2 : LongestBackoff;
            Volatile.Write(ref _notBefore, _time.GetTimestamp() + TimestampsOf(wait));
            if (_notBefore > deadline)
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
            // Thrown by the application.
        }

        _callbackThread = 0;
    }

    private Task DelayAsync(TimeSpan time, CancellationToken stop) =>
        time > TimeSpan.Zero ? Task.Delay(time, _time, stop) : Task.CompletedTask;

    private TimeSpan TimeUntil(long timestamp) => _time.GetElapsedTime(_time.GetTimestamp(), timestamp);

    private long TimestampsOf(TimeSpan time) => (long)(time.TotalSeconds * _time.TimestampFrequency);
}
