using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>The results of read(2) for a group, and for a single counter (perf_event_open(2)).</summary>
public sealed class PerfEventGroupTests
{
    [Fact]
    public void Each_counter_has_its_value_and_all_have_the_times_of_the_group()
    {
        var group = new PerfEventGroup(isGroup: true);
        group.Add(null!, counter: 2);
        group.Add(null!, counter: 0);
        var sums = new PerfReading[3];
        group.AddCounts([2, 300, 100, 11, 22], sums);
        sums.Should().Equal(Reading(22, 66), default, Reading(11, 33));

        group.AddCounts([2, 300, 300, 11, 22], sums);
        (sums[2].Raw, sums[2].Scaled, sums[2].EnabledNanoseconds, sums[2].RunningNanoseconds).Should().Be((22, 44, 600, 400), "threads are added");
    }

    [Fact]
    public void A_single_counter_precedes_its_times()
    {
        var alone = new PerfEventGroup(isGroup: false);
        alone.Add(null!, counter: 1);
        var sums = new PerfReading[2];
        alone.AddCounts([11, 300, 100], sums);
        sums.Should().Equal(default, Reading(11, 33));
    }

    [Fact]
    public void A_read_is_prompt_if_the_thread_reads_its_own_counters()
    {
        IsPrompt(new PerfEventSettings()).Should().Equal(true, false);
        IsPrompt(new PerfEventSettings { Inherited = true }).Should().Equal([false, false], "inherited counters take a lock");
        IsPrompt(new PerfEventSettings { ThreadId = -1, Cpu = 0 }).Should().Equal([false, false], "the read interrupts the CPU");
        IsPrompt(new PerfEventSettings { ThreadId = 1 }).Should().Equal(false, false);
        IsPrompt(new PerfEventSettings { ProcessId = 0 }).Should().Equal(false, false);
    }

    /// <summary>Returns the result on this thread, and on another one.</summary>
    private static bool[] IsPrompt(PerfEventSettings settings)
    {
        var group = new PerfEventGroup(isGroup: true, settings.PromptReader);
        return [group.IsReadPrompt, NewThread.Run(() => group.IsReadPrompt)];
    }

    private static PerfReading Reading(ulong raw, ulong scaled) =>
        new() { Raw = raw, EnabledNanoseconds = 300, RunningNanoseconds = 100, Scaled = scaled };
}
