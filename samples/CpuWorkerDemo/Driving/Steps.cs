namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>Runs the document's steps against one server, with the pool and with a semaphore.</summary>
/// <param name="server">The server.</param>
/// <param name="results">The object that receives the results.</param>
/// <param name="seconds">The duration of each measurement, in seconds.</param>
/// <param name="stop">A token that cancels the measurements.</param>
public sealed class Steps(ServerProcess server, StepResults results, int seconds, CancellationToken stop)
{
    private const string Delay = "delay1ms";

    /// <summary>The time from the start of a load to the start of a measurement. By then, each big task has used its first slice, in which the pool
    /// treats it as a short task.</summary>
    private readonly TimeSpan _settle = TimeSpan.FromMilliseconds(500 + 20 * results.Concurrency);

    /// <summary>Warms up the given paths. The thread pool adds only the threads that these paths need.</summary>
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

    public Task ScheduledAsync() => MeasureWithBigAsync("checksumWithCpuWorker", results.Scheduled, results.BigRate);

    public Task SemaphoreScheduledAsync() => MeasureWithBigAsync("checksumWithSemaphore", results.SemaphoreScheduled, results.SemaphoreBigRate);

    public Task AmpleSemaphoreScheduledAsync() =>
        MeasureWithBigAsync("checksumWithSemaphore", results.AmpleSemaphoreScheduled, results.AmpleSemaphoreBigRate);

    public async Task SmallAsync()
    {
        _ = await server.TakeSmallTimesAsync(stop);
        await SmallAsync("CpuWorker", results.WithBoth, results.Small, results.BigRateWithSmall);
        results.SmallInPool.Add(await server.TakeSmallTimesAsync(stop));
    }

    public Task SemaphoreSmallAsync() =>
        SmallAsync("Semaphore", results.SemaphoreWithBoth, results.SemaphoreSmall, results.SemaphoreBigRateWithSmall);

    public async Task LoopsAsync()
    {
        using IDisposable load = StartLoad("checksumWithCpuWorker");
        await Task.Delay(_settle, stop);
        await MeasureAsync("delay1msLoop", results.Loop);
        await MeasureAsync("delay1msLoopWithCpuWorker", results.LoopInPool);
    }

    private async Task MeasureWithBigAsync(string path, Runs delays, List<double> rates)
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
