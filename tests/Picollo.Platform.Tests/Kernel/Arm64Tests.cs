using System.Runtime.InteropServices;
using Picollo.PerfEvent;
using Picollo.Profiling.Sampling;

namespace Picollo.Platform.Tests.Kernel;

/// <summary>Counts are exact, 2,000 readings are between those of the kernel, and a stale page is wrong by 2^32 unless it is mapped before the
/// first read. Paranoid levels limit what an ordinary user may count.</summary>
public sealed class OneProcessorTests(OneProcessor machine) : IClassFixture<OneProcessor>
{
    public static TheoryData<string> Checks => [.. OneProcessor.All];

    [TheoryNeeding(Need.Arm64Machine)]
    [MemberData(nameof(Checks))]
    public void The_check_passes(string check) => machine.Log.ShouldHavePassed(check);

    [FactNeeding(Need.Arm64Machine)]
    public void Samples_of_cycles_have_the_proportions_of_the_work_including_threads_that_start_later()
    {
        GuestLog log = machine.Log;
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
    public void Three_threads_that_migrate_between_two_processors_read_their_own_counts_and_times()
    {
        machine.Log.ShouldHavePassed("migration");
        machine.Log.ShouldHavePassed("thread-time-with-others");
    }
}

public sealed class ProcessorWithoutPmuTests(ProcessorWithoutPmu machine) : IClassFixture<ProcessorWithoutPmu>
{
    [FactNeeding(Need.Arm64Machine)]
    public void Without_a_PMU_software_events_and_the_thread_time_are_available()
    {
        machine.Log.ShouldHavePassed("no-pmu");
        machine.Log.ShouldHavePassed("thread-time");
    }
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
