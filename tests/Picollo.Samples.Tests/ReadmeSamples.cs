using System.Buffers;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Running;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore;
using Picollo.BenchmarkDotNet;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Export;
using Picollo.Export.Plots;
using Picollo.Metrics;
using Picollo.PerfEvent;
using Picollo.Samples.Benchmarks;
using Picollo.Scheduling;

namespace Picollo.Samples.Tests;

/// <summary>The README's code, line by line, so that it compiles and does what the README says; <see cref="ReadmeTests"/>
/// compares the texts.</summary>
internal static class ReadmeSamples
{
    public static HdrHistogram Opening()
    {
        var latency = HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create();

        using (latency.GetNanoScope())
        {
            DoWork();
        }

        latency.GetSummary().PrettyPrint("Latency, ns");
        return latency;
    }

    public static HdrHistogram FirstMinute()
    {
        var histogram = HdrHistogram.Factory
            .WithRelativeError(0.01)          // percentiles within 1 %
            .WithMinTrackableValue(10_000)    // optional: a range saves memory
            .WithMaxTrackableValue(30_000)
            .Create();

        var random = new Random(0);
        for (int i = 0; i < 1_000_000; i++)
        {
            histogram.Record(20_000 + (ulong)((0.5 - random.NextDouble()) * 1000 + Math.Pow(random.NextDouble(), 2) * 5000));
        }

        HdrHistogramSummary before = histogram.GetSummary();
        Console.WriteLine(before.P99);                // P99=24,960 [83 / 609]: [24,832, 25,088) 14,190
        histogram.Reset();

        for (int i = 0; i < 2_000_000; i++)
        {
            histogram.Record(19_000 + (ulong)((0.5 - random.NextDouble()) * 500 + Math.Pow(random.NextDouble(), 3) * 10_000));
        }

        before.PrettyPrintDiff(histogram.GetSummary(), "Getting started", "Before", "After");
        return histogram;
    }

    public static (double WithinTarget, ulong InBetween, ulong P999) Reading(HdrHistogram histogram)
    {
        HdrHistogramSummary summary = histogram.GetSummary();            // sixteen percentiles, count, mean, standard deviation
        histogram.GetSummary(summary);                                   // the same again, allocating nothing

        ulong p999 = histogram.GetPercentileValue(99.9);
        double withinTarget = histogram.GetPercentileRank(25_000);       // percent at or below: the service-level question
        ulong inBetween = histogram.GetCountBetween(20_000, 25_000);
        foreach (Percentile percentile in histogram.BucketPercentilesWithValues)
        {
            Console.WriteLine(percentile);                               // P9.1914=20,096 [64 / 590]: [19,968, 20,224) 183,827
        }

        return (withinTarget, inBetween, p999);
    }

    public static void Monitoring(HdrHistogram histogram)
    {
        HdrHistogramSnapshot snapshot = histogram.GetSnapshot();
        HdrHistogramSummary interval = new();
        for (int second = 0; second < 3; second++)
        {
            Thread.Sleep(1000);
            snapshot.Update(deltas: true);
            Console.WriteLine(snapshot.GetSummary(interval).ToString("requests"));
        }
    }

    public static (CpuUsage Usage, long Nanoseconds) CpuTime()
    {
        CpuUsage onStart = CpuUsage.GetByThread();
        DoWork();
        CpuUsage onEnd = CpuUsage.GetByThread();
        Console.WriteLine("CPU Usage: " + (onEnd - onStart));            // CPU Usage: 12.345 ms (user 12.001 ms, kernel 0.344 ms)

        long start = CpuUsageReader.GetThreadTimeNanoseconds();          // user and kernel together: one system call
        DoWork();
        long nanoseconds = CpuUsageReader.GetThreadTimeNanoseconds() - start;

        return (onEnd - onStart, nanoseconds);
    }

    public static string? OtherProcess(int processId)
    {
        Console.WriteLine(CpuUsageReader.TryGetByProcess(processId, out CpuUsage usage, out string? reason)
            ? usage.ToString("ms", null)
            : reason);                                                  // There is no process 4711; it may have ended.

        return reason;
    }

    public static async Task<CpuUsage> Watching()
    {
        using var watcher = new CpuUsageAsyncWatcher();
        await HandleRequest();
        watcher.Stop();
        Console.WriteLine($"{watcher.GetSummaryCpuUsage()} in {watcher.WallTime.TotalMilliseconds:0.0} ms, {watcher.SwitchCount} switches");

        return watcher.GetSummaryCpuUsage();
    }

    public static async Task<(CpuUsage Taken, long Total)> MeasuringWork()
    {
        CpuUsage taken = await CpuUsageAsyncWatcher.MeasureAsync(HandleRequest);
        long total = await CpuUsageAsyncWatcher.MeasureTotalNanosecondsAsync(HandleRequest); // the cheaper clock

        return (taken, total);
    }

    public static async Task<(uint Checksum, CpuWorkerStatistics Statistics)> Responsive(byte[][] blocks, string[] texts, CancellationToken cancellationToken)
    {
        await using var pool = new CpuWorkerPool();

        uint checksum = await pool.RunAsync(async cpu =>
        {
            uint sum = 0;
            foreach (byte[] block in blocks)
            {
                sum = Append(sum, block);
                await cpu.CheckpointAsync();                             // every 10 to 100 µs of work
            }

            return sum;
        }, new CpuTaskOptions { Name = "checksum" }, cancellationToken);         // a name for the statistics; else the body's method

        await pool.ForEachAsync(texts, (text, cpu) => Count(text), cancellationToken);   // with a checkpoint after each

        Console.WriteLine($"{pool.Statistics.QueueWait.GetPercentileValue(99):N0} ns in the queue");
        foreach ((string task, ReadOnlyHdrHistogram overrun) in pool.Statistics.GetOverrunByTask())
        {
            Console.WriteLine($"{task} came late to a checkpoint by up to {overrun.GetPercentileValue(100):N0} ns");
        }

        return (checksum, pool.Statistics);
    }

    public static async Task<int> ParallelLoop(CpuWorkerPool pool, byte[][] blocks)
    {
        int saved = 0;
        void Compress(byte[] block) => Array.Reverse(block);
        async Task SaveAsync(byte[] block, CancellationToken token)
        {
            await Task.Delay(1, token);
            Interlocked.Add(ref saved, block.Length);
        }

        await Parallel.ForEachAsync(blocks, new ParallelOptions { TaskScheduler = pool.TaskScheduler }, async (block, token) =>
        {
            Compress(block);
            await SaveAsync(block, token);                               // frees the worker meanwhile
        });

        return saved;
    }

    public static async Task<(uint InPool, uint InTest)> WithoutPool(CpuWorkerPool pool, byte[][] blocks, CancellationToken cancellationToken)
    {
        async Task<uint> ComputeAsync(CpuTaskContext cpu)
        {
            uint sum = 0;
            foreach (byte[] block in blocks)
            {
                sum = Append(sum, block);
                await cpu.CheckpointAsync();
            }

            return sum;
        }

        uint inPool = await pool.RunAsync(ComputeAsync, cancellationToken);
        uint inTest = await ComputeAsync(CpuTaskContext.None);           // completes synchronously, on this thread

        return (inPool, inTest);
    }

    public static WebApplication Web(WebApplicationBuilder builder)
    {
        builder.Services.AddPicollo(options =>
        {
            options.CpuBudget = TimeSpan.FromMilliseconds(100);          // requests above it are logged
            options.CpuWorkers.WorkerCount = 2;                          // for RequireCpuWorker()
        });
        var app = builder.Build();

        app.UsePicollo();                                                // measures from here on: call it first
        app.MapPicollo("/picollo");                                      // the page: in Development, and for this machine

        var orderSize = app.Services.GetRequiredService<HdrHistogramRegistry>().GetOrAdd(
            "order_size",                                                // any histogram stands on the page, too
            () => HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create(),
            new HdrHistogramDescription { Unit = new() { Name = "bytes" } });

        app.MapPost("/orders", (Order order) => orderSize.Record(order.Size));
        app.MapGet("/checksum/{blocks}", async (int blocks, HttpContext context) =>
        {
            CpuTaskContext cpu = context.GetCpuTask();
            uint sum = 0;
            for (int block = 0; block < blocks; block++)
            {
                sum = Append(sum, ReadBlock(block));
                await cpu.CheckpointAsync();                             // every 10 to 100 µs of work
            }

            return sum;
        }).RequireCpuWorker();                                           // CPU-heavy: in a CpuWorkerPool, with a queue limit

        return app;
    }

    public sealed record Order(uint Size);

    private static byte[] ReadBlock(int block) => block == 0 ? [.. "123456789"u8] : [];

    public static CpuStates Machine()
    {
        using var cpu = new SystemCpu(SystemCpuParts.All);
        Thread.Sleep(1000);
        cpu.Update();
        Console.WriteLine(cpu.Total);                                    // 50.5 us,  0.5 sy,  0.0 ni, 49.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st
        foreach (ProcessCpu process in cpu.Processes)
        {
            Console.WriteLine($"{process.Id} {process.Name} {process.State} {process.Nice} {process.Share:P0}");
        }

        Console.WriteLine(cpu.LimitingCgroup?.Limit?.ToString() ?? cpu.GetUnavailableReason(SystemCpuParts.Cgroup) ?? "no limit");

        return cpu.Total;
    }

    public static async Task<ulong> WakeUpLatency()
    {
        using JitterMeter meter = JitterMeter.Start(new JitterMeterOptions { Duration = TimeSpan.FromSeconds(1) });
        await meter.Completion;
        foreach (CpuJitter cpu in meter.Cpus)
        {
            HdrHistogram latencies = cpu.Histogram;
            Console.WriteLine($"CPU {cpu.Cpu}: p99 {latencies.GetPercentileValue(99)} ns, max {latencies.GetPercentileValue(100)} ns of {latencies.TotalCount}");
        }

        return meter.Cpus.Aggregate(0UL, (count, cpu) => count + cpu.Histogram.TotalCount);
    }

    public static (IReadOnlyList<string> Counted, IReadOnlyList<string> Missing) Counters()
    {
        using var session = PerfEventCounterSession.Factory
            .WithFixedCounters()                                         // instructions, cycles, reference cycles
            .WithHardwareCounter(PerfHardwareCounterId.BranchMisses)
            .WithSoftwareCounter(PerfSoftwareCounterId.PageFaults)
            .WithOptional()                                              // leave out, and name, what this machine lacks
            .Create();

        using (session.Measure())
        {
            DoWork();
        }

        foreach (PerfEventCounter counter in session.Counters)
        {
            counter.Histogram.GetSummary().PrettyPrint(counter.Name);    // ##### Hardware:Instructions ...
        }

        foreach (UnavailablePerfCounter counter in session.UnavailableCounters)
        {
            Console.WriteLine(counter.UnavailableReason);                           // Hardware:BranchMisses: this machine exposes no PMU, as most virtual ...
        }

        return ([.. session.Counters.Select(counter => counter.Name)], [.. session.UnavailableCounters.Select(counter => counter.Name)]);
    }

    public static long ThreadClock()
    {
        using var clock = new ThreadCpuClock();                          // of this thread
        long before = clock.GetNanoseconds();
        DoWork();
        long taken = clock.GetNanoseconds() - before;
        return taken;
    }

    public static void RunBenchmarks(string[] args)
    {
        BenchmarkRunner.Run<Aggregation>(args: args);
    }

    public static IConfig BenchmarkConfig()
    {
        IConfig config = DefaultConfig.Instance.AddPicollo(
            PerfHardwareCounterId.Instructions, PerfSoftwareCounterId.PageFaults, PicolloMeasure.CpuUsage, PicolloMeasure.HdrPercentiles);

        return config;
    }

    private static async Task HandleRequest()
    {
        DoWork();
        await Task.Yield();
        DoWork();
    }

    public static async Task<HdrHistogram?> Travelling(string path, HdrHistogram latency, HdrHistogram queueing, Func<Task> serve)
    {
        Task ServeAsync() => serve();

        var options = new HdrHistogramLogRecorderOptions { MaxFileBytes = 100_000_000, RollDaily = true, OnError = Console.Error.WriteLine };
        await using (var recorder = new HdrHistogramLogRecorder(path, TimeSpan.FromSeconds(1), options))
        {
            recorder.Add(latency);
            recorder.Add(queueing, tag: "queueing");
            await ServeAsync();
        }

        var merger = new HdrHistogramMerger();
        using (var log = new HdrHistogramLogReader(path))
        {
            foreach (HdrHistogramLogInterval interval in log.ReadAll().Where(interval => interval.Tag == "queueing"))
            {
                Console.WriteLine($"{interval.StartTime:T} {interval.Histogram.GetPercentileValue(99.9):N0}");
                merger.Add(interval.Histogram);
            }
        }

        if (merger.ToHistogram() is { } all)                                          // null where nothing was added
        {
            File.WriteAllText(Path.ChangeExtension(path, "svg"), HdrHistogramPlot.CreatePercentiles([new("queueing", all)]).ToSvgDocument());
            PercentileDistribution.Write(all, Console.Out, valueUnitRatio: 1000);     // .hgrm, nanoseconds as microseconds; WriteCsv: the same as CSV
        }

        return merger.ToHistogram();
    }

    public static string Pictures(string folder, HdrHistogram before, HdrHistogram after)
    {
        HdrHistogramSeries[] series = [new("before", before), new("after", after)];
        var options = new HdrHistogramPlotOptions { Title = "Checkout latency", Unit = new() { Name = "ms", Ratio = 1e6 } };

        using (StreamWriter page = File.CreateText(Path.Combine(folder, "latency.html")))
        {
            HdrHistogramPlot.WriteReport(page, series, options);             // plots, values under the pointer, the table
        }

        File.WriteAllText(Path.Combine(folder, "percentiles.svg"), HdrHistogramPlot.CreatePercentiles(series, options).ToSvgDocument());
        File.WriteAllText(Path.Combine(folder, "layout.svg"), HdrHistogramPlot.CreateLayout(relativeError: 0.06).ToSvgDocument());
        string inPage = HdrHistogramPlot.CreateDensity(series, options).ToSvgElement()
            + HdrHistogramPlot.CreateDifference(series[0], series[1], options).ToSvgElement();
        return inPage;
    }

    public static void Exposition(IBufferWriter<byte> output, ulong nanoseconds)
    {
        var registry = new HdrHistogramRegistry();
        var waits = registry.GetOrAdd(
            "queue.wait",
            () => HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create(),
            HdrHistogramDescription.Nanoseconds with { Help = "Time in the queue." },
            [new("queue", "orders")]);
        waits.Record(nanoseconds);

        var writer = new PrometheusTextWriter();                // keep it: it remembers what stays the same
        writer.Write(output, registry);                         // an IBufferWriter<byte>: Kestrel's Response.BodyWriter is one
    }

    public static void ByHand(string path, HdrHistogram histogram, DateTimeOffset start, DateTimeOffset end)
    {
        byte[] encoded = HdrHistogramEncoding.EncodeCompressed(histogram);            // V2, as the family's tools take it
        PlainHdrHistogram<ulong> decoded = HdrHistogramEncoding.Decode(encoded);

        using (var log = new HdrHistogramLogWriter(path))
        {
            log.WriteHeader(start);
            log.WriteInterval(decoded, start, end, tag: "converted");
        }
    }

    public static HdrHistogram? ReadingOn(string path)
    {
        var merger = new HdrHistogramMerger();
        using var damaged = new HdrHistogramLogReader(path);
        while (true)
        {
            try
            {
                if (damaged.Read() is not { } interval)
                {
                    break;
                }

                merger.Add(interval.Histogram);
            }
            catch (FormatException e)
            {
                Console.Error.WriteLine(e.Message);                                   // names line and character; the next Read goes on after it
            }
        }

        return merger.ToHistogram();
    }

    private static void DoWork() => Thread.SpinWait(100);

    private static uint Append(uint sum, byte[] block) => Samples.CpuWorker.Serving.Crc32.Append(sum, block);

    private static int Count(string text) => text.Count(char.IsLetter);
}
