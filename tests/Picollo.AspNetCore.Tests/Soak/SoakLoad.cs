using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Net.Http.Headers;
using Microsoft.AspNetCore.SignalR.Client;
using Picollo.AspNetCore.Profiles;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Export.Tests;
using Picollo.Profiling;
using Picollo.Scheduling;

namespace Picollo.AspNetCore.Tests.Soak;

/// <summary>The load: requests, scrapes, profiles, threads, tasks and measurements, each in its own loop, until it is stopped. It counts its
/// operations, and its memory does not grow.</summary>
internal sealed class SoakLoad : IAsyncDisposable
{
    private const int RequestLoops = 5;
    private const int RecordsPerThread = 100;
    private const int ThreadsAtOnce = 8;

    private readonly PageServer _server;
    private readonly SoakHistograms _histograms;
    private readonly OtlpReceiver _receiver;
    private readonly CancellationTokenSource _end = new();
    private readonly Meter _meter = new(SoakServer.MeterName);
    private readonly Histogram<double> _measured;
    private readonly HttpClient _client;
    private readonly HttpClient _leaving;
    private readonly HdrHistogramSnapshot[] _snapshots;
    private readonly Task[] _loops;
    private readonly Dictionary<string, double> _counters = []; // the last scrape
    private long _requests;
    private int _nextHeld;
    private Exception? _failure;

    public SoakLoad(PageServer server, SoakHistograms histograms, OtlpReceiver receiver)
    {
        (_server, _histograms, _receiver) = (server, histograms, receiver);
        _measured = _meter.CreateHistogram<double>("soak.duration", unit: "s");
        _client = server.CreateClient(new SocketsHttpHandler { AllowAutoRedirect = false });
        _leaving = server.CreateClient(new SocketsHttpHandler { ResponseDrainTimeout = TimeSpan.Zero });
        _snapshots = [.. histograms.Histograms.Select(histogram => histogram.GetSnapshot())];
        SnapshotSums = new ulong[_snapshots.Length];
        _loops =
        [
            .. Enumerable.Range(0, RequestLoops).Select(i => Repeat(16, count => RequestAsync((i * 7) + count))),
            Repeat(200, _ => LeaveAsync("/hold", hasAnswer: false)),
            Repeat(300, _ => LeaveAsync("/stream", hasAnswer: true)),
            Repeat(1000, ReadPageAsync),
            Repeat(1000, StreamEventsAsync),
            Repeat(500, _ => TalkAsync()),
            Repeat(500, ProfileAsync),
            Repeat(50, count => RunTaskAsync(count)),
            Repeat(100, _ => WatchAsync()),
            Repeat(500, _ => ReceiveAsync()),
            OnThread(20, new Queue<Thread>(), StartThread),
            OnThread(50, 0UL, RecordPlain),
            OnThread(1000, new SystemCpu(SystemCpuParts.All), (cpu, _) => cpu.Update()),
            OnThread(1000, 0, (_, _) => UpdateSnapshots()),
        ];
    }

    /// <summary>The number of completed requests by method, route and response class.</summary>
    public ConcurrentDictionary<string, long> Responses { get; } = new();

    /// <summary>The number of runs of named work.</summary>
    public ConcurrentDictionary<string, long> Work { get; } = new();

    /// <summary>The counts of the received data points, by metric and attributes.</summary>
    public Dictionary<string, ulong> Exported { get; } = [];

    /// <summary>The sums of the received times in states, by metric and attributes.</summary>
    public Dictionary<string, double> ExportedTimes { get; } = [];

    /// <summary>The sums of the deltas of each snapshot.</summary>
    public ulong[] SnapshotSums { get; }

    public InterlockedHdrHistogram<uint> Latency { get; } =
        HdrHistogram.Factory.WithRelativeError(0.01).WithInterlocked().WithMaxTrackableValue(100_000_000_000).Create();

    public CpuWorkerPool Pool { get; } = new(new CpuWorkerPoolOptions { Name = "soak pool", WorkerCount = 2 });

    /// <summary>The numbers of submitted tasks of <see cref="Pool"/> and of its tasks with each outcome.</summary>
    public (long Submitted, long Completed, long Failed, long Canceled) Tasks;

    public long Requests => Interlocked.Read(ref _requests);

    public long Threads { get; private set; }

    public long Profiles { get; private set; }

    public long Samples { get; private set; }

    public long Measured { get; private set; }

    public long PageReads { get; private set; }

    /// <summary>Waits for a time. Throws as soon as a loop has failed.</summary>
    public async Task WaitAsync(TimeSpan time)
    {
        try
        {
            await Task.Delay(time, _end.Token);
        }
        catch (OperationCanceledException)
        {
            throw new InvalidOperationException("A part of the load has failed.", _failure);
        }
    }

    /// <summary>Ends all loops and waits for them.</summary>
    public async Task StopAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_loops);
        UpdateSnapshots();
        await Pool.DrainAsync();
        if (_failure is not null)
        {
            throw new InvalidOperationException("A part of the load has failed.", _failure);
        }
    }

    /// <summary>Adds the received data points, and clears the receiver.</summary>
    public Task ReceiveAsync()
    {
        while (_receiver.Requests.TryDequeue(out var request))
        {
            foreach (OtlpDataPoint point in OtlpDataPoint.Read(request.Body))
            {
                string series = SeriesOf(point.Metric, point.Attributes);
                if (point.Metric is "picollo.http.server.time" or "picollo.work.time")
                {
                    ExportedTimes[series] = ExportedTimes.GetValueOrDefault(series) + point.Sum;
                }
                else if (point.Kind == "histogram")
                {
                    Exported[series] = Exported.GetValueOrDefault(series) + point.Count;
                }
            }
        }

        return Task.CompletedTask;
    }

    public static string SeriesOf(string metric, IEnumerable<KeyValuePair<string, string>> labels) =>
        $"{metric} {string.Join(' ', labels.OrderBy(label => label.Key, StringComparer.Ordinal).Select(label => $"{label.Key}={label.Value}"))}";

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await Task.WhenAll(_loops); // the loops still run if a check has failed
        Array.ForEach(_snapshots, snapshot => snapshot.Dispose());
        _client.Dispose();
        _leaving.Dispose();
        _meter.Dispose();
        await Pool.DisposeAsync();
        _end.Dispose();
    }

    private async Task Repeat(int milliseconds, Func<int, Task> action)
    {
        using PeriodicTimer timer = new(TimeSpan.FromMilliseconds(milliseconds));
        try
        {
            for (int count = 0; !_end.IsCancellationRequested; count++)
            {
                await action(count);
                await timer.WaitForNextTickAsync(_end.Token);
            }
        }
        catch (OperationCanceledException) when (_end.IsCancellationRequested)
        {
            // The load is stopped.
        }
        catch (Exception e)
        {
            Fail(e);
        }
    }

    private Task OnThread<TState>(int milliseconds, TState state, Action<TState, int> action) => Task.Factory.StartNew(
        () =>
        {
            try
            {
                for (int count = 0; !_end.IsCancellationRequested; count++)
                {
                    action(state, count);
                    _end.Token.WaitHandle.WaitOne(milliseconds);
                }

                if (state is Queue<Thread> threads)
                {
                    Array.ForEach([.. threads], thread => thread.Join());
                }

                (state as IDisposable)?.Dispose();
            }
            catch (Exception e)
            {
                Fail(e);
            }
        },
        TaskCreationOptions.LongRunning);

    private void Fail(Exception e)
    {
        Interlocked.CompareExchange(ref _failure, e, null);
        _end.Cancel();
    }

    private Task RequestAsync(int count) => (count % 16) switch
    {
        < 8 => GetAsync("/orders/" + SoakHistograms.LabelOf(count % 1000), "/orders/{id:int}"),
        < 11 => PostAsync(),
        11 => GetAsync("/cpu", "/cpu"),
        12 => GetAsync("/lock", "/lock"),
        13 => GetAsync("/missing", "/missing", HttpStatusCode.NotFound),
        _ when count % 1600 == 14 => GetAsync("/expensive", "/expensive"),
        _ => ImportAsync(),
    };

    private async Task ImportAsync()
    {
        await GetAsync("/import", "/import");
        Count(Work, "import");
    }

    private async Task PostAsync()
    {
        byte[] body = new byte[2_000];
        using ByteArrayContent content = new(body);
        long start = Stopwatch.GetTimestamp();
        using HttpResponseMessage response = await _client.PostAsync(new Uri("/echo", UriKind.Relative), content);
        (await response.Content.ReadAsByteArrayAsync()).Should().HaveCount(body.Length);
        Ended(start, "POST /echo 2xx");
    }

    private async Task GetAsync(string path, string route, HttpStatusCode expected = HttpStatusCode.OK)
    {
        long start = Stopwatch.GetTimestamp();
        using HttpResponseMessage response = await _client.GetAsync(path);
        await response.Content.ReadAsByteArrayAsync();
        response.StatusCode.Should().Be(expected);
        Ended(start, $"GET {route} {(int)expected / 100}xx");
    }

    private void Ended(long start, string response)
    {
        Latency.Record((ulong)Stopwatch.GetElapsedTime(start).TotalNanoseconds);
        Count(Responses, response);
        Interlocked.Increment(ref _requests);
    }

    /// <summary>Disconnects while the server handles a request: before the response, or in the middle of it.</summary>
    private async Task LeaveAsync(string route, bool hasAnswer)
    {
        TaskCompletionSource held = new(TaskCreationOptions.RunContinuationsAsynchronously);
        string query = "?" + SoakHistograms.LabelOf(Interlocked.Increment(ref _nextHeld));
        SoakServer.Held[query] = held;
        using CancellationTokenSource leave = new();
        Task<HttpResponseMessage> getting = _leaving.GetAsync(route + query, HttpCompletionOption.ResponseHeadersRead, leave.Token);
        await held.Task.WaitAsync(TimeSpan.FromMinutes(1));
        if (hasAnswer)
        {
            (await getting).Dispose();
        }
        else
        {
            await leave.CancelAsync();
            await getting.ContinueWith(_ => { }, TaskScheduler.Default);
        }

        SoakServer.Held.TryRemove(query, out _);
        Count(Responses, $"GET {route} aborted");
        Interlocked.Increment(ref _requests);
    }

    /// <summary>Reads the page with its windows and plots, JSON, and the exposition in each of its formats.</summary>
    private async Task ReadPageAsync(int count)
    {
        string show = "";
        using (JsonDocument json = JsonDocument.Parse(await ReadPageAsync("/picollo/json")))
        {
            JsonElement histograms = json.RootElement.GetProperty("histograms");
            histograms.GetArrayLength().Should().BeGreaterThanOrEqualTo(_snapshots.Length);
            show = histograms[count % histograms.GetArrayLength()].GetProperty("id").GetString()!;
        }

        string window = (count % 3) switch { 0 => "", 1 => "&window=1m", _ => "&window=10m" };
        (await ReadPageAsync($"/picollo?show={show}{window}")).Should().Contain("<svg");
        string metrics = await ReadPageAsync("/picollo/metrics", "text/plain");
        metrics.Should().Contain("soak_value_bucket");
        CheckCounters(metrics);
        (await ReadPageAsync("/picollo/metrics", "application/openmetrics-text; version=1.0.0")).Should().EndWith("# EOF\n");
        (await ReadPageAsync(
            "/picollo/metrics",
            "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited")).Should().Contain("soak_value");
        string mark = await ReadPageAsync($"/picollo/mark?show={show}");
        using StringContent body = new(mark, new MediaTypeHeaderValue("application/json"));
        using HttpResponseMessage difference = await _client.PostAsync(new Uri($"/picollo/diff?show={show}", UriKind.Relative), body);
        difference.StatusCode.Should().Be(HttpStatusCode.OK);
        PageReads++;
    }

    private void CheckCounters(string metrics)
    {
        foreach ((string name, double value) in SoakTests.SeriesOf(metrics).Where(one => one.Key.Contains("_total", StringComparison.Ordinal)))
        {
            value.Should().BeGreaterThanOrEqualTo(_counters.GetValueOrDefault(name), name);
            _counters[name] = value;
        }
    }

    private async Task<string> ReadPageAsync(string path, string accept = "*/*")
    {
        using HttpRequestMessage request = new(HttpMethod.Get, path);
        request.Headers.TryAddWithoutValidation("Accept", accept).Should().BeTrue();
        using HttpResponseMessage response = await _client.SendAsync(request);
        string text = await response.Content.ReadAsStringAsync();
        response.StatusCode.Should().Be(HttpStatusCode.OK, text);
        return text;
    }

    /// <summary>Reads a few events and disconnects in the middle of the stream.</summary>
    private async Task StreamEventsAsync(int count)
    {
        await using EventReader events = await EventReader.OpenAsync(_server, count % 2 == 0 ? "?window=1m" : "");
        for (int i = 0; i < 3 && !_end.IsCancellationRequested; i++)
        {
            (await events.NextAsync()).Name.Should().Be("usage");
        }
    }

    private async Task TalkAsync()
    {
        await using HubConnection connection = new HubConnectionBuilder().WithUrl(new Uri(_server.Address, "/hub")).Build();
        await connection.StartAsync();
        Count(Responses, "POST /hub/negotiate 2xx");
        for (int i = 0; i < 10; i++)
        {
            (await connection.InvokeAsync<string>("Echo", "text")).Should().Be("text");
            Count(Work, "SoakHub.Echo");
            await Task.Delay(20);
        }

        await connection.StopAsync();
        Count(Responses, "GET /hub (long-lived) 1xx");
        Interlocked.Add(ref _requests, 2);
    }

    /// <summary>Alternately takes a profile on the page, a profile whose client disconnects, and a profile with the profiler at 99 Hz. The
    /// profiler of requests above the budget runs all the time.</summary>
    private async Task ProfileAsync(int count)
    {
        if (count % 3 == 1)
        {
            using HttpResponseMessage posted = await _client.PostAsync(new Uri("/picollo", UriKind.Relative), null, _end.Token);
            posted.StatusCode.Should().Be(HttpStatusCode.SeeOther);
            string address = "/picollo" + posted.Headers.Location;
            (await ReadPageAsync(address)).Should().Contain("CPU");
            (await ReadPageAsync("/picollo?profile=latest")).Should().Contain("CPU");
            using HttpResponseMessage pprof = await _client.GetAsync(address + "&pprof");
            CpuProfile profile = CpuProfile.ReadPprof(await pprof.Content.ReadAsStreamAsync());
            profile.SampleCount.Should().BePositive();
            Samples += profile.Value;
        }
        else if (count % 3 == 2)
        {
            using CancellationTokenSource leave = new(TimeSpan.FromSeconds(1));
            Func<Task> leaving = () => _leaving.PostAsync(new Uri("/picollo", UriKind.Relative), null, leave.Token);
            await leaving.Should().ThrowAsync<OperationCanceledException>();
            await Task.Delay(CpuProfiles.Duration / 10, _end.Token); // the server notices the disconnect with a delay
        }
        else
        {
            using CpuProfiler profiler = CpuProfiler.Start(new CpuProfilerOptions { Frequency = 99 });
            await Task.Delay(TimeSpan.FromSeconds(3), _end.Token);
            CpuProfile profile = profiler.Stop();
            profile.SampleCount.Should().BePositive();
            profile.SplitByRoute().Sum(part => part.Value).Should().Be(profile.Value);
            Samples += profile.Value;
        }

        Profiles++;
    }

    /// <summary>Runs a task that completes, fails, or is canceled while it runs.</summary>
    private async Task RunTaskAsync(int count)
    {
        Interlocked.Increment(ref Tasks.Submitted);
        using CancellationTokenSource cancel = new();
        Task task = Pool.RunAsync(
            async cpu =>
            {
                _histograms.RecordShared(count);
                await (count % 3 == 2 ? cancel.CancelAsync() : Task.CompletedTask);
                await cpu.CheckpointAsync();
                _ = count % 3 == 1 ? throw new FormatException() : 0;
            },
            cancellationToken: cancel.Token);
        await task.ContinueWith(_ => { }, TaskScheduler.Default);
        task.Status.Should().Be((count % 3) switch { 0 => TaskStatus.RanToCompletion, 1 => TaskStatus.Faulted, _ => TaskStatus.Canceled });
        Interlocked.Increment(ref (count % 3 == 0 ? ref Tasks.Completed : ref (count % 3 == 1 ? ref Tasks.Failed : ref Tasks.Canceled)));
    }

    /// <summary>Uses a watcher across awaits, and records measurements of a meter.</summary>
    private async Task WatchAsync()
    {
        CpuUsage usage = await CpuUsageAsyncWatcher.MeasureAsync(async () =>
        {
            Thread.SpinWait(1000);
            await Task.Yield();
            Thread.SpinWait(1000);
        });
        usage.TotalNanoseconds.Should().BePositive();
        _measured.Record(usage.TotalNanoseconds / 1e9, new KeyValuePair<string, object?>("kind", "watched"));
        Measured++;
    }

    private void StartThread(Queue<Thread> threads, int count)
    {
        Thread thread = new(() => _histograms.RecordThreadLocal(RecordsPerThread));
        thread.Start();
        Threads++;
        threads.Enqueue(thread);
        if (threads.Count == ThreadsAtOnce)
        {
            threads.Dequeue().Join();
        }
    }

    private void RecordPlain(ulong state, int count) => _histograms.RecordPlain((ulong)count % 1000);

    private void UpdateSnapshots()
    {
        for (int i = 0; i < _snapshots.Length; i++)
        {
            _snapshots[i].Update(deltas: true);
            SnapshotSums[i] += _snapshots[i].TotalCount;
        }
    }

    private static void Count(ConcurrentDictionary<string, long> counts, string name) => counts.AddOrUpdate(name, 1, static (_, count) => count + 1);
}
