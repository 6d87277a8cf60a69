using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Tests.Sampling;

public class SamplingEventsTests
{
    private static readonly SamplingTarget Target = new(Environment.ProcessId, Frequency: 99, IncludesKernel: false, StartsOnExec: false);

    [FactNeeding(Need.Root, Need.KernelCounters)]
    public void Root_samples_the_CPUs()
    {
        using SamplingEvents events = SamplingEvents.Open(Target);

        events.AreOfCpus.Should().BeTrue();
        events.FileCount.Should().Be(events.Rings.Count, "there is one for each CPU, however many threads there are");
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_user_without_the_right_to_sample_CPUs_samples_threads() => AsUser.WithoutPerfMonitoring(() =>
    {
        using SamplingEvents events = SamplingEvents.Open(Target);

        events.AreOfCpus.Should().Be(int.Parse(File.ReadAllText("/proc/sys/kernel/perf_event_paranoid"), null) <= 0);
        events.FileCount.Should().BeGreaterThan(events.AreOfCpus ? 0 : events.Rings.Count);
        return 0;
    });

    [FactNeeding(Need.PerfEvents)]
    public void A_command_is_sampled_by_thread_because_only_such_events_begin_with_its_program()
    {
        using SamplingEvents events = SamplingEvents.Open(Target with { StartsOnExec = true });

        events.AreOfCpus.Should().BeFalse();
    }
}
