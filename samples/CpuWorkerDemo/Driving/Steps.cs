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
            await MeasureAsync(path, 1);
        }
    }

    public async Task AloneAsync() => results.Alone.Add(await MeasureAsync(Delay, seconds));

    public async Task UnscheduledAsync()
    {
        using IDisposable load = StartLoad("checksumWithoutCpuWorker");
        await Task.Delay(_settle, stop);
        results.Unscheduled.Add(await MeasureAsync(Delay, seconds));
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
        results.Loop.Add(await MeasureAsync("delay1msLoop", seconds));
        results.LoopInPool.Add(await MeasureAsync("delay1msLoopWithCpuWorker", seconds));
    }

    private async Task BesideBigAsync(string path, Runs delays, List<double> rates)
    {
        using IDisposable load = StartLoad(path);
        await Task.Delay(_settle, stop);
        WorkDone before = await server.GetWorkDoneAsync(stop);
        delays.Add(await MeasureAsync(Delay, seconds));
        rates.Add((await server.GetWorkDoneAsync(stop)).BigPerSecondSince(before));
    }

    private async Task SmallAsync(string cap, Runs delays, Runs smalls, List<double> rates)
    {
        using IDisposable load = StartLoad("checksumWith" + cap);
        await Task.Delay(_settle, stop);
        WorkDone before = await server.GetWorkDoneAsync(stop);
        WrkReport[] reports = await Task.WhenAll(MeasureAsync(Delay, seconds), MeasureAsync("checksumSmallTaskWith" + cap, seconds));
        rates.Add((await server.GetWorkDoneAsync(stop)).BigPerSecondSince(before));
        delays.Add(reports[0]);
        smalls.Add(reports[1]);
    }

    private Task<WrkReport> MeasureAsync(string path, int forSeconds) =>
        Wrk.MeasureAsync(new Uri(server.Address, path), results.Concurrency, forSeconds, stop);

    private IDisposable StartLoad(string path) => Wrk.StartLoad(new Uri(server.Address, path), results.Concurrency);
}
