using Picollo.Cpu;
using Picollo.Profiling.Waits;

namespace Picollo.Profiling.Tests.Waits;

[Trait("Category", "Slow")]
public class WaitProfilerTests
{
    [FactNeeding(Need.Linux)]
    public void Work_that_is_queued_directly_after_the_start_has_its_time_in_the_queue()
    {
        FlowLabel label = new("GET", "/queued");
        using WaitProfiler profiler = WaitProfiler.Start();
        using ManualResetEventSlim done = new();
        ThreadPool.UnsafeQueueUserWorkItem(
            _ =>
            {
                new CpuUsageAsyncWatcher { Label = label }.Dispose();
                done.Set();
            },
            null);
        done.Wait();

        WaitProfile profile = profiler.Stop();

        profile.Rows.Should().ContainSingle(row => row.Label == label && row.Kind == WaitProfile.PoolQueueBefore).Which.Count.Should().Be(1);
    }

    [FactNeeding(Need.Linux)]
    public void Without_diagnostics_the_reason_is_reported()
    {
        using ProfiledProcess process = ProfiledProcess.Start("profiled", new() { ["DOTNET_EnableDiagnostics"] = "0" });

        Action start = () => WaitProfiler.Start(process.Id).Dispose();

        start.Should().Throw<MeasurementUnavailableException>().WithMessage(
            "Waits cannot be measured: the process was started with DOTNET_EnableDiagnostics=0; start it without this setting.");
    }
}
