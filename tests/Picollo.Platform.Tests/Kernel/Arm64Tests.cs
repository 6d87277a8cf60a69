using System.Runtime.InteropServices;
using Picollo.PerfEvent;
using Picollo.Profiling.Sampling;

namespace Picollo.Platform.Tests.Kernel;

public sealed class OneProcessorTests(OneProcessor machine) : IClassFixture<OneProcessor>
{
    [FactNeeding(Need.Arm64Machine)]
    public void Known_numbers_of_instructions_are_counted_exactly() => machine.Log.ShouldHavePassed("counts");

    [FactNeeding(Need.Arm64Machine)]
    public void Two_thousand_readings_are_between_those_of_the_kernel() => machine.Log.ShouldHavePassed("reads");

    [FactNeeding(Need.Arm64Machine)]
    public void Multiplexed_events_are_read_by_the_kernel_while_they_have_no_counter() => machine.Log.ShouldHavePassed("multiplexing");

    [FactNeeding(Need.Arm64Machine)]
    public void A_disabled_event_is_not_read_and_continues_when_it_is_enabled() => machine.Log.ShouldHavePassed("toggling");

    [FactNeeding(Need.Arm64Machine)]
    public void A_stale_page_is_wrong_by_2_to_the_32_unless_it_is_mapped_before_the_first_read() =>
        machine.Log.ShouldHavePassed("stale-page");

    [FactNeeding(Need.Arm64Machine)]
    public void After_the_last_event_is_closed_the_instruction_works_or_is_refused() => machine.Log.ShouldHavePassed("closed-event");

    [FactNeeding(Need.Arm64Machine)]
    public void Without_perf_user_access_the_kernel_is_called() => machine.Log.ShouldHavePassed("no-user-access");

    [FactNeeding(Need.Arm64Machine)]
    public void Paranoid_3_lets_an_ordinary_user_count_nothing() => machine.Log.ShouldHavePassed("paranoid-3");

    [FactNeeding(Need.Arm64Machine)]
    public void Paranoid_2_lets_an_ordinary_user_count_user_mode() => machine.Log.ShouldHavePassed("paranoid-2");

    [FactNeeding(Need.Arm64Machine)]
    public void Paranoid_1_lets_an_ordinary_user_count_both_modes() => machine.Log.ShouldHavePassed("paranoid-1");

    [FactNeeding(Need.Arm64Machine)]
    public void The_thread_time_from_the_page_follows_the_clock_of_the_kernel() => machine.Log.ShouldHavePassed("thread-time");

    [FactNeeding(Need.Arm64Machine)]
    public void Samples_of_cycles_have_the_proportions_of_the_work_including_threads_that_start_later()
    {
        GuestLog log = machine.Log;
        log.ShouldHavePassed("sampling");
        PerfEventAttributes attributes = SamplingEvents.AttributesOf(
            SamplingEvents.Cycles, new SamplingTarget(1, 999, IncludesKernel: false, StartsOnExec: false));
        Convert.ToHexString(MemoryMarshal.AsBytes(new ReadOnlySpan<PerfEventAttributes>(in attributes)))
            .Should().Be(log.Fact("sampling-attributes"), "the guest samples like Picollo");

        double work = log.Number("sampling-sixty") + log.Number("sampling-thirty") + log.Number("sampling-ten");
        work.Should().BeGreaterThan(300);
        (log.Number("sampling-sixty") / work).Should().BeApproximately(0.6, 0.03);
        (log.Number("sampling-thirty") / work).Should().BeApproximately(0.3, 0.03);
        (log.Number("sampling-ten") / work).Should().BeApproximately(0.1, 0.03);
        ((double)log.Number("sampling-thread")).Should().BeApproximately(work, 0.1 * work, "the later thread does the same amount of work");
        log.Number("sampling-other-thread").Should().BeGreaterThanOrEqualTo(log.Number("sampling-thread"));
        log.Number("sampling-lost").Should().Be(0);
    }
}

public sealed class SlowProcessorTests(SlowProcessor machine) : IClassFixture<SlowProcessor>
{
    [FactNeeding(Need.Arm64Machine)]
    public void A_32_bit_counter_continues_after_it_wraps() => machine.Log.ShouldHavePassed("wrap");
}

public sealed class TwoProcessorsTests(TwoProcessors machine) : IClassFixture<TwoProcessors>
{
    [FactNeeding(Need.Arm64Machine)]
    public void Three_threads_that_migrate_between_two_processors_read_their_own_counts() => machine.Log.ShouldHavePassed("migration");

    [FactNeeding(Need.Arm64Machine)]
    public void The_thread_time_from_the_page_follows_the_clock_of_the_kernel_on_three_threads() => machine.Log.ShouldHavePassed("thread-time-with-others");
}

public sealed class ProcessorWithoutPmuTests(ProcessorWithoutPmu machine) : IClassFixture<ProcessorWithoutPmu>
{
    [FactNeeding(Need.Arm64Machine)]
    public void Hardware_events_are_unavailable_and_software_events_are_available() => machine.Log.ShouldHavePassed("no-pmu");

    [FactNeeding(Need.Arm64Machine)]
    public void The_thread_time_from_the_page_needs_no_PMU() => machine.Log.ShouldHavePassed("thread-time");
}

public sealed class CortexA72Tests(CortexA72 machine) : IClassFixture<CortexA72>
{
    [FactNeeding(Need.Arm64Machine)]
    public void A_cortex_a72_counts_in_32_bits_and_cycles_in_64() => machine.Log.ShouldHavePassed("widths");
}

public sealed class NeoverseN1Tests(NeoverseN1 machine) : IClassFixture<NeoverseN1>
{
    [FactNeeding(Need.Arm64Machine)]
    public void A_neoverse_n1_counts_in_32_bits_and_cycles_in_64() => machine.Log.ShouldHavePassed("widths");
}
