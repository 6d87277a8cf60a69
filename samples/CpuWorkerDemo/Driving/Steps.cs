namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>The document's steps against one server, and the same with a plain cap.</summary>
/// <param name="server">To send requests to.</param>
/// <param name="results">Where to put what is measured.</param>
/// <param name="seconds">For how long each.</param>
/// <param name="stop">Ends all.</param>
public sealed class Steps(ServerProcess server, StepResults results, int seconds, CancellationToken stop)
{
    private const string Delay = "delay1ms";

    /// <summary>From the begin of a load to that of a measurement: until the pool has given each big task the first slice, in which it
    /// counts as a new one.</summary>
    private readonly TimeSpan _settle = TimeSpan.FromMilliseconds(500 + 20 * results.Concurrency);

    /// <summary>Brings the paths named to their final speed, and the thread pool to no more than it needs for that.</summary>
    public async Task WarmUpAsync(params string[] paths)
    {
        foreach (string path in paths)
        {
            _ = await Wrk.MeasureAsync(UrlOf(path), results.Concurrency, 1, stop);
        }
    }

    public Task AloneAsync() => MeasureAsync(Delay, results.Alone);

    public async Task UnscheduledAsync()
    {
        using IDisposable load = StartLoad("checksumWithoutCpuWorker");
        await Task.Delay(_settle, stop);
        await MeasureAsync(Delay, results.Unscheduled);
    }

    public Task ScheduledAsync() => BesideBigAsync("checksumWithCpuWorker", results.Scheduled, results.BigRate);

    public Task SemaphoreScheduledAsync() => BesideBigAsync("checksumWithSemaphore", results.SemaphoreScheduled, results.SemaphoreBigRate);

    public Task AmpleSemaphoreScheduledAsync() =>
        BesideBigAsync("checksumWithSemaphore", results.AmpleSemaphoreScheduled, results.AmpleSemaphoreBigRate);

    public async Task SmallAsync()
    {
        _ = await server.TakeSmallTimesAsync(stop);
        await SmallAsync("CpuWorker", results.BesideBoth, results.Small, results.BigRateBesideSmall);
        results.SmallInPool.Add(await server.TakeSmallTimesAsync(stop));
    }

    public Task SemaphoreSmallAsync() =>
        SmallAsync("Semaphore", results.SemaphoreBesideBoth, results.SemaphoreSmall, results.SemaphoreBigRateBesideSmall);

    public async Task LoopsAsync()
    {
        using IDisposable load = StartLoad("checksumWithCpuWorker");
        await Task.Delay(_settle, stop);
        await MeasureAsync("delay1msLoop", results.Loop);
        await MeasureAsync("delay1msLoopWithCpuWorker", results.LoopInPool);
    }

    private async Task BesideBigAsync(string path, Runs delays, List<double> rates)
    {
        using IDisposable load = StartLoad(path);
        await Task.Delay(_settle, stop);
        WorkDone before = await server.GetWorkDoneAsync(stop);
        await MeasureAsync(Delay, delays);
        rates.Add((await server.GetWorkDoneAsync(stop)).BigPerSecondSince(before));
    }

    private async Task SmallAsync(string cap, Runs delays, Runs smalls, List<double> rates)
    {
        using IDisposable load = StartLoad("checksumWith" + cap);
        await Task.Delay(_settle, stop);
        WorkDone before = await server.GetWorkDoneAsync(stop);
        await Task.WhenAll(MeasureAsync(Delay, delays), MeasureAsync("checksumSmallTaskWith" + cap, smalls));
        rates.Add((await server.GetWorkDoneAsync(stop)).BigPerSecondSince(before));
    }

    private async Task MeasureAsync(string path, Runs runs)
    {
        (WrkReport report, CpuLoad load) =
            await CpuLoad.MeasureAsync(server.Id, () => Wrk.MeasureAsync(UrlOf(path), results.Concurrency, seconds, stop));
        runs.Add(report, load);
    }

    private IDisposable StartLoad(string path) => Wrk.StartLoad(UrlOf(path), results.Concurrency);

    private Uri UrlOf(string path) => new(server.Address, path);
}
