namespace Picollo.Export;

/// <summary>Pushes histograms to an OpenTelemetry receiver, such as a collector. The protocol is OTLP over HTTP or gRPC, in
/// protobuf.</summary>
/// <remarks>
/// <para><b>Values</b> are in buckets with explicit bounds, or in exponential ones that are 2.2 % wide (scale 5) and have the error of
/// <see cref="PrometheusWriter"/> with its default schema. Counts are exact up to the relative error of the histogram. Values are in the
/// unit of the description, with the unit codes of OpenTelemetry (<c>s</c>, <c>By</c>). Names and labels are exported as they were
/// registered.</para>
/// <para><b>Failures.</b> Failed connections, requests that time out, the status codes 429, 502, 503 and 504, and the gRPC status codes
/// that OpenTelemetry names are retried until the next export is due. The backoff is exponential, from 1 to 30 seconds. If the response
/// has <c>Retry-After</c> (in gRPC, <c>RetryInfo</c>) and its time is longer, that time is used instead, up to 10 minutes. An export ends
/// when the next one is due, but not before 5 seconds. Values that a receiver has not accepted are not lost while the process runs,
/// whatever the error: the next export contains them, because cumulative values contain all earlier ones, and a delta starts at the end of
/// the last accepted one. Memory is therefore bounded by two readings of each series, without a queue. Two kinds of values are lost: those
/// of a histogram that is reset or disposed before they are accepted, and those of more than 1,000 removed histograms. As with every
/// protocol that retries, a delta is counted twice if the response that accepts it is lost.</para>
/// <para><b>Requests</b> contain at most 1,000 data points and 4 MB each. They create no spans.</para>
/// <para><b>Shutdown.</b> <see cref="DisposeAsync"/> exports the remaining values, and takes at most 5 seconds. The exporter does not keep
/// a process running, so dispose it.</para>
/// <para>Thread-safe.</para>
/// <example>
/// <code>
/// await using OtlpExporter exporter = OtlpExporter.Start(registry, new() { Endpoint = new Uri("http://collector:4318/v1/metrics") });
/// </code>
/// </example>
/// </remarks>
public sealed class OtlpExporter : IAsyncDisposable, IDisposable
{
    private const int PointsPerRequest = 1_000;

    private static readonly TimeSpan LongestFlush = TimeSpan.FromSeconds(5);

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
    private readonly long _start; // the timestamp that other times are measured from
    private int _batches; // the number of batches that were sent
    private long _notBefore; // in ticks
    private Exception? _lastError;
    private volatile int _callbackThread; // the managed ID of the thread that runs OnError; 0 for none
    private long _exported;
    private long _rejected;
    private long _completeExports;

    /// <summary>Starts exporting. The first function must return the same histogram objects at each export, and the last one the other
    /// metrics with their current values. The service name is null for the name of the process.</summary>
    internal OtlpExporter(
        Func<IReadOnlyList<HdrHistogramRegistration>> histograms,
        OtlpExportOptions options,
        Func<string, string?> variables,
        string? defaultServiceName,
        Func<IReadOnlyList<OtlpFamily>>? families = null)
    {
        (_time, _onError) = (options.TimeProvider, options.OnError);
        _settings = new OtlpSettings(options, variables, defaultServiceName);
        _collector = new OtlpCollector(
            histograms, _settings.Buckets, _settings.IsDelta, _time, families, options.ExcludeConventionMetrics == true);
        _sender = new OtlpSender(_settings, _time);
        _start = _time.GetTimestamp();
        foreach (string warning in _settings.Warnings)
        {
            Report(new ArgumentException(warning));
        }

        // The loop must not inherit the context of a request that starts the exporter.
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

    /// <summary>The number of exports whose data points were all accepted.</summary>
    internal long CompleteExportCount => Interlocked.Read(ref _completeExports);

    private TimeSpan Now => _time.GetElapsedTime(_start);

    /// <summary>The time before which the receiver accepts no request.</summary>
    private TimeSpan NotBefore
    {
        get => TimeSpan.FromTicks(Interlocked.Read(ref _notBefore));
        set => Interlocked.Exchange(ref _notBefore, value.Ticks);
    }

    /// <summary>Starts exporting all histograms of a registry.</summary>
    /// <param name="registry">The registry. Histograms that are registered later are exported, too.</param>
    /// <param name="options">The options; <see langword="null"/> for those of the environment variables.</param>
    /// <returns>The running exporter.</returns>
    /// <exception cref="ArgumentNullException"><paramref name="registry"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">An option is invalid.</exception>
    public static OtlpExporter Start(HdrHistogramRegistry registry, OtlpExportOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(registry);
        return new OtlpExporter(() => registry.Registrations, options ?? new OtlpExportOptions(), Environment.GetEnvironmentVariable, null);
    }

    /// <summary>Exports now, with retries. Takes at most 5 seconds, including the time of other exports in progress.</summary>
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
            return await ExportAsync(Now, LongestFlush, either.Token, either.Token).ConfigureAwait(false);
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
    /// <see cref="OtlpExportOptions.OnError"/> it does not block.</summary>
    public void Dispose()
    {
        Task end = Task.Run(() => DisposeAsync().AsTask());
        if (_callbackThread != Environment.CurrentManagedThreadId)
        {
            end.GetAwaiter().GetResult();
        }
    }

    private static TimeSpan Later(TimeSpan a, TimeSpan b) => a > b ? a : b;

    private async Task StopAsync()
    {
        TimeSpan start = Now;
        using (_time.CreateTimer(static end => ((CancellationTokenSource)end!).Cancel(), _end, LongestFlush, Timeout.InfiniteTimeSpan))
        {
            await _stop.CancelAsync().ConfigureAwait(false);

            // The loop may be in the application's callback, which cannot be canceled.
            await _loop.WaitAsync(_end.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            try
            {
                await ExportAsync(start, LongestFlush, CancellationToken.None, CancellationToken.None).ConfigureAwait(false);
            }
            catch (Exception e)
            {
                Report(e);
            }
        }

        await _end.CancelAsync().ConfigureAwait(false); // ends a flush that is still waiting
        _sender.Dispose();
    }

    private async Task RunAsync()
    {
        TimeSpan limit = _settings.Interval > LongestFlush ? _settings.Interval : LongestFlush;
        TimeSpan next = Now;
        while (true)
        {
            next = Later(next + _settings.Interval, NotBefore);
            await DelayAsync(next, _stop.Token).ConfigureAwait(false);
            next = Now - next < _settings.Interval ? next : Now; // missed exports are skipped
            try
            {
                await ExportAsync(Now, limit, _stop.Token, _end.Token).ConfigureAwait(false);
            }
            catch (Exception e) when (!_stop.IsCancellationRequested)
            {
                Report(e); // a defect of the exporter that may not affect the next export
            }
        }
    }

    /// <summary>Reads and sends all series, with retries until a limit after the start. Returns whether all are accepted.</summary>
    private async Task<bool> ExportAsync(TimeSpan start, TimeSpan limit, CancellationToken stopWaiting, CancellationToken stopSending)
    {
        if (_settings.IsDisabled)
        {
            return true;
        }

        using CancellationTokenSource late = new(Later(start + limit - Now, TimeSpan.Zero), _time);
        using CancellationTokenSource end = CancellationTokenSource.CreateLinkedTokenSource(late.Token, stopSending);
        Exception? error;
        try
        {
            await _gate.WaitAsync(end.Token).ConfigureAwait(false);
            try
            {
                error = await SendAllAsync(start, limit, stopWaiting, end.Token).ConfigureAwait(false);
            }
            finally
            {
                _gate.Release();
            }
        }
        catch (OperationCanceledException)
            when (late.IsCancellationRequested && !stopWaiting.IsCancellationRequested && !stopSending.IsCancellationRequested)
        {
            error = Late(limit);
        }

        Volatile.Write(ref _lastError, error);
        if (error is null)
        {
            Interlocked.Increment(ref _completeExports);
        }
        else
        {
            Notify(error); // after the release, because the callback may flush
        }

        return error is null;
    }

    /// <summary>Reads all series and sends them. Returns the last error; null if all data points were accepted.</summary>
    private async Task<Exception?> SendAllAsync(
        TimeSpan start, TimeSpan limit, CancellationToken stopWaiting, CancellationToken stopSending)
    {
        Exception? error = null;
        OtlpPoint[][] batches = [.. _collector.Collect().Chunk(PointsPerRequest)];
        for (int i = 0; i < batches.Length; i++)
        {
            // An export that ended early is followed by one that starts with the other batches.
            Stack<ArraySegment<OtlpPoint>> parts = new([batches[(int)((uint)_batches++ % batches.Length)]]);
            while (parts.TryPop(out ArraySegment<OtlpPoint> part))
            {
                if (Now >= start + limit)
                {
                    return Late(limit); // the timer has not run yet
                }

                OtlpRequest.Write(_buffer, _settings.Resource, part, _settings.IsDelta);
                if (_buffer.Written.Length > OtlpGrpc.MaxMessageBytes && part.Count > 1)
                {
                    parts.Push(part[(part.Count / 2)..]);
                    parts.Push(part[..(part.Count / 2)]);
                    continue;
                }

                OtlpResult result = await SendAsync(start + limit, stopWaiting, stopSending).ConfigureAwait(false);
                if (result.Error is not null && result.MayRetry)
                {
                    return result.Error; // the other requests would fail, too
                }

                error = result.Error ?? Accept(part, result.RejectedPoints) ?? error;
            }
        }

        return error;
    }

    /// <summary>Records that the receiver has accepted data points. Returns an error if it has rejected some of them.</summary>
    private HttpRequestException? Accept(ArraySegment<OtlpPoint> points, long rejectedPoints)
    {
        _collector.Accept(points);
        long rejected = Math.Min(rejectedPoints, points.Count);
        Interlocked.Add(ref _exported, points.Count - rejected);
        Interlocked.Add(ref _rejected, rejected);
        string hint = _settings.UsesExponential
            ? " If it does not support exponential histograms, set UseExponentialHistograms to false, or the variable "
                + "OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION to explicit_bucket_histogram."
            : "";
        return rejected == 0 ? null : new($"{_settings.EndpointText} rejected {rejected} of {points.Count} data points.{hint}");
    }

    /// <summary>Sends the message until it is accepted, may not be sent again, or the deadline has passed.</summary>
    private async Task<OtlpResult> SendAsync(TimeSpan deadline, CancellationToken stopWaiting, CancellationToken stopSending)
    {
        TimeSpan next = NotBefore;
        if (next >= deadline)
        {
            string wait = (next - Now).TotalSeconds.ToString("0.#", CultureInfo.InvariantCulture);
            string problem = $"No request is sent to {_settings.EndpointText} for {wait} s, because it failed and sent Retry-After.";
            return new(new HttpRequestException(problem), true, null, 0);
        }

        for (int attempt = 1; ; attempt++)
        {
            await DelayAsync(next, stopWaiting).ConfigureAwait(false);
            OtlpResult result = await _sender.SendAsync(_buffer.WrittenMemory, stopSending).ConfigureAwait(false);
            (next, bool stops) = OtlpRetry.After(result, attempt, Now, deadline, Random.Shared.NextDouble());

            // Only a wait that the receiver requested also applies to later exports, such as the last one.
            if (result.RetryAfter is not null)
            {
                NotBefore = next;
            }

            if (stops)
            {
                return result;
            }
        }
    }

    private TimeoutException Late(TimeSpan limit) => new(string.Create(
        CultureInfo.InvariantCulture, $"The export to {_settings.EndpointText} was not complete within {limit.TotalSeconds:0.###} s."));

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

    private Task DelayAsync(TimeSpan until, CancellationToken stop) =>
        until - Now is var time && time > TimeSpan.Zero ? Task.Delay(time, _time, stop) : Task.CompletedTask;
}
