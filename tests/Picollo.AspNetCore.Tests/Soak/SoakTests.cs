using System.Diagnostics;
using System.Text.RegularExpressions;
using Picollo.AspNetCore.Tests.Page;
using Picollo.Export;
using Picollo.Export.Tests;
using Picollo.Scheduling;
using Xunit.Abstractions;

namespace Picollo.AspNetCore.Tests.Soak;

/// <summary>Runs a server with all options under load. Counts must be conserved, and memory and descriptors must not grow.</summary>
/// <remarks>The duration of the long run is <c>PICOLLO_SOAK</c>, such as 30m, which <c>./build.sh test soak 30m</c> sets. The run writes its samples
/// and a table to artifacts/test-results.</remarks>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public partial class SoakTests(ITestOutputHelper output)
{
    private const string Switch = "PICOLLO_SOAK";
    private const int SamplesPerRun = 360; // every 5 s in 30 minutes

    // On an overloaded machine, the pool adds threads. Each keeps megabytes of arrays (ArrayPool.Shared), which are not a leak.
    private const int PoolThreads = 12;

    private static readonly TimeSpan Short = TimeSpan.FromSeconds(12);

    // After this time, profiles, windows and caches of the runtime are full, so any further growth is a leak.
    private static readonly TimeSpan MinDurationForFlatness = TimeSpan.FromMinutes(20);

    [FactNeeding(Need.PerfEvents)]
    public Task Counts_are_conserved_with_all_options() => RunAsync(Short, null);

    [FactNeeding(Need.PerfEvents)]
    [Trait("Category", "Long")]
    public Task Counts_are_conserved_and_nothing_leaks_in_a_long_run()
    {
        string? duration = Environment.GetEnvironmentVariable(Switch);
        return RunAsync(
            duration is null ? 5 * Short : Durations.Parse(duration)
                ?? throw new FormatException($"{Switch} is {duration}, but must have the form 30s, 10m or 2h."),
            duration is null ? null : Path.Combine(Repository.Root, "artifacts", "test-results"));
    }

    private async Task RunAsync(TimeSpan duration, string? results)
    {
        ThreadPool.GetMaxThreads(out int workers, out int completions);
        ThreadPool.GetMinThreads(out int least, out _); // one for each processor
        ThreadPool.SetMaxThreads(Math.Max(PoolThreads, least), completions).Should().BeTrue();
        string folder = Directory.CreateTempSubdirectory("picollo-soak-").FullName;
        try
        {
            await RunInPoolAsync(duration, results, folder);
        }
        finally
        {
            ThreadPool.SetMaxThreads(workers, completions);
            Directory.Delete(folder, recursive: true);
        }
    }

    private async Task RunInPoolAsync(TimeSpan duration, string? results, string folder)
    {
        SoakHistograms histograms = new();
        SoakLog log = new();
        List<Exception> recorderErrors = [];
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        await using PageServer server = await SoakServer.StartAsync(receiver, TimeSpan.FromSeconds(2), log, histograms);

        // One log keeps all its files, so that counts can be compared. The other one replaces its files.
        string complete = Path.Combine(Directory.CreateDirectory(Path.Combine(folder, "complete")).FullName, "all.hlog");
        string rolling = Path.Combine(Directory.CreateDirectory(Path.Combine(folder, "rolling")).FullName, "last.hlog");
        await using HdrHistogramLogRecorder all = HdrHistogramLogRecorder.Start(
            complete, duration / 100, new() { MaxFileBytes = 1 << 20, FilesKept = 10_000, OnError = recorderErrors.Add });
        await using HdrHistogramLogRecorder last = HdrHistogramLogRecorder.Start(
            rolling, TimeSpan.FromSeconds(1), new() { MaxFileBytes = 1 << 16, FilesKept = 3, OnError = recorderErrors.Add });
        HdrHistogramLogRecorder[] recorders = [all, last];
        foreach (HdrHistogramLogRecorder recorder in recorders)
        {
            foreach (var (i, histogram) in histograms.Histograms.Index())
            {
                recorder.Add(histogram, SoakHistograms.LabelOf(i));
            }
        }

        List<SoakSample> samples = [];
        await using (SoakLoad load = new(server, histograms, receiver))
        {
            using HdrHistogramSnapshot latency = load.Latency.GetSnapshot();
            (TimeSpan before, long cpuBefore) = (TimeSpan.Zero, CpuUsageReader.GetProcessTimeNanoseconds());
            for (long start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < duration;)
            {
                await load.WaitAsync(duration / SamplesPerRun);
                latency.Update(deltas: true);
                TimeSpan now = Stopwatch.GetElapsedTime(start);
                long cpu = CpuUsageReader.GetProcessTimeNanoseconds();
                double processors = (cpu - cpuBefore) / (now - before).TotalNanoseconds;
                (before, cpuBefore) = (now, cpu);
                samples.Add(Take(now, load, processors, latency, Path.GetDirectoryName(rolling)!));
                Keep(results, "soak.csv", new SoakSeries(samples).ToCsv());
            }

            await load.StopAsync();
            SoakSeries series = new(samples);
            output.WriteLine(series.ToTable());
            Keep(results, "soak.md", series.ToTable() + $"\n{load.Requests} requests, {load.PageReads} reads of the page, JSON and exposition, "
                + $"{load.Profiles} profiles with {load.Samples} samples, {load.Threads} threads, {load.Tasks.Submitted} tasks, {load.Measured} watchers\n");
            await CheckCountsAsync(server, load, histograms);
            Dictionary<string, double> times = await CheckTimesAsync(server);
            await server.Application.StopAsync();
            await load.ReceiveAsync();
            CheckExports(load, histograms);
            load.ExportedTimes.Values.Sum().Should().BeApproximately(times.Values.Sum(), 1e-6);
            foreach (HdrHistogramLogRecorder recorder in recorders)
            {
                await recorder.DisposeAsync();
            }

            CheckLog(Path.GetDirectoryName(complete)!, histograms);
            recorderErrors.Should().BeEmpty();
            log.Lines.Should().BeEmpty();
            log.OverBudget.Should().BeGreaterThanOrEqualTo(load.Responses["GET /expensive 2xx"]);
            log.OverLatencyBudget.Should().BeGreaterThanOrEqualTo(load.Responses["GET /expensive 2xx"]);
            if (duration >= MinDurationForFlatness)
            {
                CheckFlatness(series);
            }
        }
    }

    private static SoakSample Take(TimeSpan time, SoakLoad load, double processors, HdrHistogramSnapshot latency, string logs)
    {
        long heap = GC.GetTotalMemory(forceFullCollection: true);
        GCGenerationInfo largeObjects = GC.GetGCMemoryInfo(GCKind.FullBlocking).GenerationInfo[3];
        long large = largeObjects.SizeAfterBytes - largeObjects.FragmentationAfterBytes;
        return new(
            time.TotalSeconds,
            load.Requests,
            load.Profiles,
            load.Threads,
            heap - large,
            large,
            GC.GetGCMemoryInfo().TotalCommittedBytes,
            Environment.WorkingSet,
            Directory.GetFiles("/proc/self/fd").Length,
            Directory.GetDirectories("/proc/self/task").Length,
            File.ReadLines("/proc/self/maps").Count(),
            new DirectoryInfo(logs).EnumerateFiles().Sum(LengthOf),
            processors,
            latency.GetPercentileValue(50) / 1e6,
            latency.GetPercentileValue(99) / 1e6);
    }

    private static long LengthOf(FileInfo file)
    {
        try
        {
            return file.Length;
        }
        catch (FileNotFoundException)
        {
            return 0; // the log has removed or renamed it
        }
    }

    private static void Keep(string? folder, string name, string text)
    {
        if (folder is not null)
        {
            File.WriteAllText(Path.Combine(Directory.CreateDirectory(folder).FullName, name), text);
        }
    }

    private static async Task CheckCountsAsync(PageServer server, SoakLoad load, SoakHistograms histograms)
    {
        Dictionary<string, long> expected = new(load.Responses);
        JsonElement json = default;
        for (int i = 0; i < 600; i++)
        {
            // A client may have its response, or have disconnected, before the server counts the request.
            json = await server.JsonAsync();
            if (json.GetProperty("running").GetProperty("count").GetInt32() == 0 && ResponsesOf(json).Sum(route => route.Value) >= expected.Values.Sum())
            {
                break;
            }

            await Task.Delay(100);
        }

        ResponsesOf(json).Should().BeEquivalentTo(expected);
        foreach (JsonElement route in json.GetProperty("routes").EnumerateArray())
        {
            long responses = route.GetProperty("responses").EnumerateObject().Sum(one => one.Value.GetInt64());
            route.GetProperty("count").GetInt64().Should().Be(responses, "{0} has no rejected requests", route.GetProperty("route"));
        }

        json.GetProperty("work").EnumerateArray().ToDictionary(row => row.GetProperty("name").GetString()!, row => row.GetProperty("count").GetInt64())
            .Should().BeEquivalentTo(load.Work);
        Dictionary<string, long> listed = json.GetProperty("histograms").EnumerateArray()
            .Where(row => row.GetProperty("name").GetString() == SoakHistograms.Name)
            .ToDictionary(row => row.GetProperty("labels").GetProperty("index").GetString()!, row => row.GetProperty("count").GetInt64());
        for (int i = 0; i < histograms.Histograms.Length; i++)
        {
            long recorded = histograms.RecordedOf(i);
            recorded.Should().BePositive();
            histograms.Histograms[i].TotalCount.Should().Be((ulong)recorded);
            histograms.Histograms[i].OverflowCount.Should().Be(0);
            load.SnapshotSums[i].Should().Be((ulong)recorded);
            listed[SoakHistograms.LabelOf(i)].Should().Be(recorded);
        }

        json.GetProperty("histograms").EnumerateArray().Single(row => row.GetProperty("name").GetString() == "soak.duration")
            .GetProperty("count").GetInt64().Should().Be(load.Measured);
        CheckExposition(SeriesOf(await server.Client.GetStringAsync("/picollo/metrics")), load, histograms);

        CpuWorkerStatistics tasks = load.Pool.Statistics;
        (tasks.SubmittedCount, tasks.CompletedCount, tasks.FailedCount, tasks.CanceledCount).Should().Be(load.Tasks);
        tasks.WaitingCount.Should().Be(0);

        // The parts add up to the CPU time of the process. CPU time between the readings of two parts may be in both until the next reading.
        long before = CpuUsageReader.GetProcessTimeNanoseconds();
        double parts = (await server.JsonAsync()).GetProperty("processCpu").EnumerateArray().Sum(part => part.GetProperty("secondsTotal").GetDouble());
        long after = CpuUsageReader.GetProcessTimeNanoseconds();
        parts.Should().BeInRange((before / 1e9) - 1e-6, (after / 1e9 * 1.01) + 0.1);
    }

    private static Dictionary<string, long> ResponsesOf(JsonElement json) => (
        from route in json.GetProperty("routes").EnumerateArray()
        from response in route.GetProperty("responses").EnumerateObject()
        where response.Value.GetInt64() > 0
        select ($"{route.GetProperty("method")} {route.GetProperty("route")} {response.Name}", response.Value.GetInt64())).ToDictionary();

    /// <summary>Returns the values of an exposition by name and labels.</summary>
    public static Dictionary<string, double> SeriesOf(string exposition) => exposition.Split('\n').Where(line => line.Length > 0 && !line.StartsWith('#')).ToDictionary(
            line => line[..line.LastIndexOf(' ')], line => double.Parse(line[(line.LastIndexOf(' ') + 1)..], CultureInfo.InvariantCulture));
    private static void CheckExposition(Dictionary<string, double> series, SoakLoad load, SoakHistograms histograms)
    {
        foreach (var (response, count) in load.Responses)
        {
            string[] parts = [response[..response.IndexOf(' ')], response[(response.IndexOf(' ') + 1)..response.LastIndexOf(' ')], response[(response.LastIndexOf(' ') + 1)..]];
            series[$"picollo_http_server_responses_total{{http_request_method=\"{parts[0]}\",http_route=\"{parts[1]}\",response=\"{parts[2]}\"}}"]
                .Should().Be(count);
        }

        series.Where(one => one.Key.StartsWith("http_server_request_duration_seconds_count", StringComparison.Ordinal)).Sum(one => one.Value)
            .Should().Be(load.Responses.Values.Sum());
        for (int i = 0; i < histograms.Histograms.Length; i++)
        {
            series[$"soak_value_count{{index=\"{i}\"}}"].Should().Be(histograms.RecordedOf(i));
        }

        series.Where(one => one.Key.StartsWith("picollo_cpu_workers_tasks_total", StringComparison.Ordinal)).Sum(one => one.Value)
            .Should().Be(load.Responses["GET /cpu 2xx"]);
    }

    /// <summary>Checks that the times in all states add up to the durations of each route and each name of work, when the runs that waited have
    /// been added. Returns the times.</summary>
    private static async Task<Dictionary<string, double>> CheckTimesAsync(PageServer server)
    {
        for (int i = 0; ; i++)
        {
            Dictionary<string, double> series = SeriesOf(await server.Client.GetStringAsync("/picollo/metrics"));
            Dictionary<string, double> times = series.Where(one => StateTimes().IsMatch(one.Key)).ToDictionary();
            (string Row, double Sum)[] sums = [.. SumByRow(times)];
            (string Row, double Sum)[] durations = [.. SumByRow(series.Where(one => SumsOfDurations().IsMatch(one.Key)))];
            if (i == 100 || sums.Zip(durations).All(row => Math.Abs(row.First.Sum - row.Second.Sum) < 1e-6))
            {
                sums.Select(row => row.Row).Should().Equal(durations.Select(row => row.Row)).And.Contain(["GET /lock", "SoakHub.Echo"]);
                sums.Zip(durations).Should().OnlyContain(row => Math.Abs(row.First.Sum - row.Second.Sum) < 1e-6);
                series["picollo_http_server_time_seconds_total{http_request_method=\"GET\",http_route=\"/lock\",state=\"lock\"}"].Should().BePositive();
                return times;
            }

            await Task.Delay(100);
        }

        static IEnumerable<(string, double)> SumByRow(IEnumerable<KeyValuePair<string, double>> series) => series
            .GroupBy(one => string.Join(' ', Labels().Matches(one.Key).Select(label => label.Groups[2].Value)), one => one.Value)
            .Select(row => (row.Key, row.Sum())).OrderBy(row => row.Key, StringComparer.Ordinal);
    }

    [GeneratedRegex("^picollo_(http_server|work)_time_seconds_total{")]
    private static partial Regex StateTimes();

    [GeneratedRegex("^(http_server_request_duration|picollo_work_wall_time)_seconds_sum{")]
    private static partial Regex SumsOfDurations();

    [GeneratedRegex("(http_request_method|http_route|work)=\"([^\"]*)\"")]
    private static partial Regex Labels();

    private static void CheckExports(SoakLoad load, SoakHistograms histograms)
    {
        for (int i = 0; i < histograms.Histograms.Length; i++)
        {
            load.Exported[LoadSeries(i)].Should().Be((ulong)histograms.RecordedOf(i));
        }

        load.Exported.Where(one => one.Key.StartsWith("http.server.request.duration ", StringComparison.Ordinal)).Sum(one => (long)one.Value)
            .Should().Be(load.Responses.Values.Sum());
        load.Exported["soak.duration kind=watched"].Should().Be((ulong)load.Measured);

        static string LoadSeries(int index) => SoakLoad.SeriesOf(SoakHistograms.Name, [new("index", SoakHistograms.LabelOf(index))]);
    }

    private static void CheckLog(string folder, SoakHistograms histograms)
    {
        Dictionary<string, ulong> sums = [];
        foreach (string file in Directory.EnumerateFiles(folder))
        {
            using HdrHistogramLogReader reader = new(file);
            foreach (HdrHistogramLogInterval interval in reader.ReadAll())
            {
                sums[interval.Tag!] = sums.GetValueOrDefault(interval.Tag!) + interval.Histogram.TotalCount;
            }
        }

        for (int i = 0; i < histograms.Histograms.Length; i++)
        {
            sums[SoakHistograms.LabelOf(i)].Should().Be((ulong)histograms.RecordedOf(i));
        }
    }

    /// <summary>Also checks that this run would have shown the smallest leaks: an object of 100 bytes per request, a descriptor per profile, half
    /// the counters of a thread-local histogram per thread, and 10 µs of CPU time per second for each thread that has been started.</summary>
    private static void CheckFlatness(SoakSeries series)
    {
        series.DescribeGrowth().Should().BeEmpty();
        series.With(sample => sample with { Heap = sample.Heap + (100 * sample.Requests) }).DescribeGrowth().Should().NotBeEmpty();
        series.With(sample => sample with { Descriptors = sample.Descriptors + sample.Profiles }).DescribeGrowth().Should().NotBeEmpty();
        series.With(sample => sample with { Heap = sample.Heap + (1_000 * sample.Threads) }).DescribeGrowth().Should().NotBeEmpty();
        series.With(sample => sample with { Processors = sample.Processors + (1e-5 * sample.Threads) }).DescribeGrowth().Should().NotBeEmpty();
    }
}
