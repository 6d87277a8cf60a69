using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Tests.Sampling;

public class SamplingEventsTests
{
    private static readonly SamplingTarget Target = new(Environment.ProcessId, Frequency: 99, IncludesKernel: false, StartsOnExec: false);

    [FactNeeding(Need.Root, Need.KernelCounters)]
    public void Root_samples_the_CPUs_but_a_command_by_thread_because_only_such_events_start_on_exec()
    {
        using SamplingEvents events = SamplingEvents.Open(Target), ofCommand = SamplingEvents.Open(Target with { StartsOnExec = true });

        (events.AreCpuEvents, ofCommand.AreCpuEvents).Should().Be((true, false));
        events.FileCount.Should().Be(events.Rings.Count, "there is one for each CPU, regardless of the number of threads");
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_user_without_permission_to_sample_CPUs_samples_threads() => AsUser.WithoutPerfMonitoring(() =>
    {
        using SamplingEvents events = SamplingEvents.Open(Target);

        events.AreCpuEvents.Should().Be(int.Parse(File.ReadAllText("/proc/sys/kernel/perf_event_paranoid"), null) <= 0);
        events.FileCount.Should().BeGreaterThan(events.AreCpuEvents ? 0 : events.Rings.Count);
        return 0;
    });
}
