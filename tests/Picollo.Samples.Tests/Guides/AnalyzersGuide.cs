using Picollo.Cpu;
using Picollo.Metrics;
using Picollo.Scheduling;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/analyzers.md. Its mistakes are intended.</summary>
internal static class AnalyzersGuide
{
#pragma warning disable PIC0001, PIC0002, PIC0003, PIC0004, CA2000, CA2012, CS4014, IDE0059

    public static HdrHistogramFactory Factories()
    {
        var factory = HdrHistogram.Factory;
        factory.WithRelativeError(0.01);              // PIC0001: the new factory is lost
        factory = factory.WithRelativeError(0.01);    // correct

        return factory;
    }

    public static void DiscardedScopes(HdrHistogram histogram)
    {
        histogram.GetNanoScope();                     // PIC0002: nothing is recorded
        var scope = histogram.GetNanoScope();         // PIC0002, unless `scope` is used later
    }

    public static void Scope(HdrHistogram histogram)
    {
        using var scope = histogram.GetNanoScope();
    }

    public static async Task CheckpointsAsync(CpuWorkerPool pool, CpuTaskContext cpu)
    {
        cpu.CheckpointAsync();                        // PIC0003
        pool.RunAsync(cpu => cpu.CheckpointAsync());  // PIC0003: the checkpoint is returned, but not awaited
        await cpu.CheckpointAsync();                  // correct in async code
        cpu.Checkpoint();                             // correct elsewhere
    }

    public static async Task<long> WatchersAsync()
    {
        static Task PrepareAsync() => Task.CompletedTask;

        async Task<CpuUsageAsyncWatcher> StartAsync()
        {
            await PrepareAsync();
            return new CpuUsageAsyncWatcher();        // PIC0004: create it in the caller
        }

        async Task<CpuUsage> MeasureRequestAsync(Func<Task> work)
        {
            await PrepareAsync();
            return await CpuUsageAsyncWatcher.MeasureAsync(work);
        }

        using CpuUsageAsyncWatcher started = await StartAsync();
        return (await MeasureRequestAsync(PrepareAsync)).TotalNanoseconds;
    }
}
