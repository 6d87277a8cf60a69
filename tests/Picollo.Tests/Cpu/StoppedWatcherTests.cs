using System.Runtime.CompilerServices;
using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>What a watcher leaves in a flow, and what it reads.</summary>
public class StoppedWatcherTests
{
    [Fact]
    public void A_stopped_watcher_between_two_others_is_released()
    {
        using var outer = new CpuUsageAsyncWatcher();
        (WeakReference middle, CpuUsageAsyncWatcher inner) = StopMiddle();
        using (inner)
        {
            ExecutionContext.Run(ExecutionContext.Capture()!, static _ => { }, null);
            WatchedFlow.Count.Should().Be(2);
            GC.Collect();

            middle.IsAlive.Should().BeFalse();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        static (WeakReference Middle, CpuUsageAsyncWatcher Inner) StopMiddle()
        {
            var middle = new CpuUsageAsyncWatcher();
            var inner = new CpuUsageAsyncWatcher();
            middle.Stop();
            return (new WeakReference(middle), inner);
        }
    }

    [Fact]
    public async Task A_measurement_reads_only_what_it_returns()
    {
        CpuUsageDetail total = default, split = default;
        await CpuUsageAsyncWatcher.MeasureTotalNanosecondsAsync(() => Read(ref total));
        await CpuUsageAsyncWatcher.MeasureAsync(() => Read(ref split));

        (total, split).Should().Be((CpuUsageDetail.TotalOnly, CpuUsageDetail.UserAndKernel));

        static Task Read(ref CpuUsageDetail detail)
        {
            detail = ThreadSegment.OfThread!.Watchers!.Detail;
            return Task.CompletedTask;
        }
    }
}
