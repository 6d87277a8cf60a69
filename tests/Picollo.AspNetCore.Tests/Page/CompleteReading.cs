using System.Buffers;
using System.Diagnostics.Metrics;
using System.Text;
using Picollo.AspNetCore.Meters;
using Picollo.AspNetCore.Tests.Usage;
using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Profiling.Waits;
using Picollo.Scheduling;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>An application without a server that has a value for everything that the page, JSON and the exposition can contain. Each value
/// is the same in each process.</summary>
internal sealed class CompleteReading : IDisposable
{
    private const long Millisecond = 1_000_000;

    private readonly Clock _clock = new();
    private readonly ServiceProvider _services;
    private readonly RouteRow _orders;

    public CompleteReading(bool hasRuntime = false)
    {
        _services = new ServiceCollection()
            .AddLogging()
            .AddSingleton<TimeProvider>(_clock)
            .AddPicollo(options =>
            {
                (options.Requests.MaxRoutes, options.MeasureRuntime) = (5, hasRuntime);
                (options.Requests.MeasureAllocations, options.Requests.CollectExemplars, options.Requests.LatencyBreakdown) = (true, true, true);
                options.CpuWorkers.WorkerCount = 2;
                options.Meters.AddMeter("Shop");
            })
            .BuildServiceProvider();
        Get<PageReader>();
        Get<CpuWorkerPool>();
        Get<MeterBridge>().StartAsync(default);
        Get<RuntimeService>().StartAsync(default);
        _orders = RecordRoutes();
        RecordWork();
        RecordHistograms();
        if (!hasRuntime)
        {
            Registered("dotnet.gc.pause.time", HdrHistogramDescription.Nanoseconds, []).Record(3 * Millisecond, 7);
        }
    }

    /// <summary>The reading of the page and of JSON.</summary>
    public PageReading Read()
    {
        _clock.Advance(10);
        PageReading reading = Get<PageReader>().Read();
        return reading with
        {
            Processors = 4,
            ProcessShare = 0.25,
            Parts = [.. reading.Parts.Select((part, i) => new CpuPart(part.Name, part.Title, (i + 1) * 1000 * Millisecond) { MachineShare = i / 100.0 })],
            Runtime = new RuntimeReading(
                new RuntimeTotals
                {
                    Gen0CollectionCount = 60,
                    Gen1CollectionCount = 20,
                    Gen2CollectionCount = 5,
                    GcPauseTime = TimeSpan.FromMilliseconds(123),
                    AllocatedBytes = 123_456_789,
                    ExceptionCount = 17,
                    CompiledMethodCount = 4321,
                    CompilationTime = TimeSpan.FromSeconds(1.5),
                },
                0.01,
                7_654_321,
                0.5,
                ["The waits for locks are not measured."]),
            Running =
            [
                new(_orders, IsLongLived: false, "/orders/<7>") { CpuNanoseconds = 20 * Millisecond, Age = TimeSpan.FromSeconds(3) },
                new(Get<WorkMeter>().All[0]) { CpuNanoseconds = 40 * Millisecond, Age = TimeSpan.FromSeconds(2) },
                new(_orders, IsLongLived: true) { CpuNanoseconds = 10 * Millisecond, Age = TimeSpan.FromSeconds(90) },
            ],
            CanMeasureWaits = true,
            Waits = new WaitProfile(
                DateTimeOffset.UnixEpoch,
                TimeSpan.FromSeconds(10),
                [
                    new WaitRow(_orders.Label, "SemaphoreSlim.Wait", "Shop.Orders.Load<int>", 7, TimeSpan.FromSeconds(0.7), TimeSpan.FromSeconds(0.2)),
                    new WaitRow(FlowLabel.None, "", "", 3, TimeSpan.FromSeconds(30), TimeSpan.FromSeconds(10)),
                ],
                ["2 events were lost."]),
            MissingStates = "The wait for a CPU is not measured separately.",
            Profiles = new Dictionary<FlowLabel, int> { [_orders.Label] = 2 },
            All = [.. reading.All.Select(row => row with { MachineShare = row.Row.Measured is null ? 0 : row.Sum / 4e10 })],
        };
    }

    /// <summary>A reading that covers the last minute, in which each row has one run.</summary>
    public PageReading ReadMinute()
    {
        Get<RecentHistory>().ReadWindow(Get<PageReader>().Read(), null);
        _clock.Advance(20);
        _orders.Record(new RunValues(3 * Millisecond, 4 * Millisecond, null) { [RunFact.AllocatedBytes] = 4096 });
        return Get<RecentHistory>().ReadWindow(Read(), RecentWindow.Minute);
    }

    /// <summary>The exposition in the Prometheus text format.</summary>
    public string WriteMetrics()
    {
        ArrayBufferWriter<byte> output = new();
        WriteCounters(output, PrometheusFormat.Text);
        new PrometheusWriter().WriteHistograms(output, PrometheusFormat.Text, Get<PageRows>().Exposed);
        return Encoding.UTF8.GetString(output.WrittenSpan);
    }

    /// <summary>Writes the part of the exposition without histograms.</summary>
    public void WriteCounters(IBufferWriter<byte> output, PrometheusFormat format) => Get<ExpositionCounters>().Write(output, format);

    /// <summary>Exports all metrics once to an OpenTelemetry receiver.</summary>
    public async Task ExportAsync(Uri endpoint)
    {
        OtlpExportOptions options = new() { Endpoint = endpoint };
        OtlpExporter exporter = new(() => Get<PageRows>().Exposed, options, _ => null, null, Get<ExpositionCounters>().Read);
        await exporter.DisposeAsync();
        exporter.LastError.Should().BeNull();
    }

    public void Dispose() => _services.Dispose();

    private RouteRow RecordRoutes()
    {
        RouteTable routes = Get<RouteTable>();
        RouteRow orders = routes.Get("GET", "/orders/{id}");
        for (int i = 1; i <= 100; i++)
        {
            orders.Record(new RunValues(i * Millisecond, 2 * i * Millisecond, new CpuUsage(3 * i * Millisecond / 4, i * Millisecond / 4))
            {
                [RunFact.AllocatedBytes] = i * 1024,
                [RunFact.RequestBodyBytes] = i * 10,
            });
        }

        foreach (Outcome outcome in new Outcome[]
        {
            new(101, ResponseClass.Informational),
            new(304, ResponseClass.Redirection),
            new(404, ResponseClass.ClientError),
            new(500, ResponseClass.ServerError, null, "System.InvalidOperationException"),
            new(200, ResponseClass.ServerError, "UNAVAILABLE", "UNAVAILABLE"),
            new(499, ResponseClass.Aborted),
        })
        {
            orders.Record(new RunValues(Millisecond, 2 * Millisecond, null) { [RunFact.AllocatedBytes] = 512 }, outcome);
        }

        orders.Record(new RunValues(Millisecond, Millisecond, null), new Outcome(429, ResponseClass.ClientError), isRejected: true);
        orders.Add(new(
            orders, new Outcome(200, ResponseClass.ServerError, "UNAVAILABLE", "UNAVAILABLE"), 200 * Millisecond, 100 * Millisecond,
            _clock.GetUtcNow(), new string('a', 32), new string('b', 16)));
        LatencyStates states = LatencyStates.Cpu | LatencyStates.RunQueue | LatencyStates.GarbageCollection | LatencyStates.Lock
            | LatencyStates.Blocked | LatencyStates.PoolQueue | LatencyStates.Await;
        for (int i = 1; i <= 200; i++)
        {
            LatencyTimes times = i > 198
                ? new() { Cpu = 5 * Millisecond, Lock = 180 * Millisecond, Blocked = 10 * Millisecond, Await = 5 * Millisecond }
                : new() { Cpu = 4 * Millisecond, RunQueue = Millisecond, Collection = Millisecond, PoolQueue = 2 * Millisecond, Await = 8 * Millisecond };
            orders.Latency!.Add(new LatencyBreakdown(times, states, LatencyStates.PoolQueue));
        }

        for (int i = 0; i < 6; i++)
        {
            routes.Get("POST", $"/{i}").Record(new RunValues(2 * Millisecond, 3 * Millisecond, null) { [RunFact.AllocatedBytes] = 2048 });
        }

        return orders;
    }

    private void RecordWork()
    {
        WorkRow import = Get<WorkMeter>().RowOf("import");
        foreach (WorkResult result in new[] { WorkResult.Completed, WorkResult.Completed, WorkResult.Failed, WorkResult.Canceled })
        {
            import.Count(result);
            import.Record(new RunValues(5 * Millisecond, 7 * Millisecond, new CpuUsage(4 * Millisecond, Millisecond)) { [RunFact.AllocatedBytes] = 3000 });
        }
    }

    private void RecordHistograms()
    {
        HdrHistogramDescription bytes = new() { Help = "Size of orders.", Unit = new() { Name = "bytes" } };
        Registered("order_size", bytes, [new("shop", "berlin")]).Record(1234, 5);
        HdrHistogram small = HdrHistogram.Factory.WithMaxTrackableValue(1000).Create();
        small.Record(100_000, 2);
        Get<HdrHistogramRegistry>().Add("small", small, HdrHistogramDescription.None);
        Meter meter = Get<IMeterFactory>().Create("Shop");
        Histogram<double> paid = meter.CreateHistogram<double>("paid", "s", "Time until an order is paid.");
        paid.Record(2.5, new KeyValuePair<string, object?>("method", "card"));
        paid.Record(-1);
        paid.Record(double.NaN);
    }

    private InterlockedHdrHistogram<uint> Registered(string name, HdrHistogramDescription description, ReadOnlySpan<KeyValuePair<string, string>> labels) =>
        Get<HdrHistogramRegistry>().GetOrAdd(name, () => HdrHistogram.Factory.WithRelativeError(0.01).WithInterlocked().Create(), description, labels);

    private T Get<T>()
        where T : notnull => _services.GetRequiredService<T>();
}
