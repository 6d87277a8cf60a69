using Picollo.Metrics;
using Picollo.PerfEvent;
using Picollo.Tests.Metrics;

namespace Picollo.Tests.PerfEvent;

/// <summary>Sessions whose counters are read from pages: real ones of the kernel, over simulated pages.</summary>
public sealed class UserSpaceSessionTests
{
    private static readonly PerfEventSettings TwoCounters = new()
    {
        Counters =
        [
            new PerfEventNumbers("faults", new PerfEventDefinition(PerfEventType.Software, (ulong)PerfSoftwareCounterId.PageFaults)),
            new PerfEventNumbers("minor", new PerfEventDefinition(PerfEventType.Software, (ulong)PerfSoftwareCounterId.MinorPageFaults)),
        ],
    };

    [PerfFact]
    public void Which_way_to_read_is_decided_at_every_read()
    {
        var pages = new ScriptedPages(2);
        using PerfEventCounterSession session = Open(pages);
        session.Read();
        session.WasReadInUserSpace.Should().BeTrue();

        pages.Readable = 0b01;
        session.Read();
        session.WasReadInUserSpace.Should().BeFalse("the second counter is not on the CPU");
        pages.Readable = 0b11;
        session.Read();
        session.WasReadInUserSpace.Should().BeTrue();

        session.Read(forceSyscallRead: true);
        session.WasReadInUserSpace.Should().BeFalse("the kernel was to be asked");
    }

    [PerfFact]
    public void A_thread_that_is_not_counted_asks_the_kernel()
    {
        var pages = new ScriptedPages(2);
        pages.Counters[0].Value = 1_000_000_000; // no program has so many page faults
        using PerfEventCounterSession session = Open(pages);
        int reads = pages.Reads;
        PerfPagesTests.OnAnotherThread(() =>
        {
            session.Read();
            using (session.Measure())
            {
            }

            return session.WasReadInUserSpace;
        }).Should().BeFalse();
        pages.Reads.Should().Be(reads);
        session.Counters[0].RawValue.Should().BeLessThan(1_000_000_000);
        session.Read();
        session.Counters[0].RawValue.Should().Be(1_000_000_000);
    }

    [PerfFact]
    public void What_reading_counts_is_taken_off_and_stays_in_the_raw_values()
    {
        var pages = new ScriptedPages(2) { CountsOfReading = 40 };
        using PerfEventCounterSession session = Open(pages);
        session.Read();
        pages.Counters[0].Value += 1_000;
        session.Read();
        session.Record();
        session.Counters[0].Delta.Should().Be(1_000);
        session.Counters[0].RawDelta.Should().Be(1_040);
        session.Counters[1].Delta.Should().Be(0);
        session.Counters[1].RawDelta.Should().Be(40);

        using (session.Measure())
        {
            pages.Counters[0].Value += 2_000;
        }

        HdrHistogram recorded = session.Counters[0].Histogram;
        recorded.TotalCount.Should().Be(2);
        recorded.GetCountBetween(999, 1_001).Should().Be(1);
        recorded.GetCountBetween(1_998, 2_002).Should().Be(1);
    }

    [PerfFact]
    public void A_count_that_goes_back_gives_zero()
    {
        var pages = new ScriptedPages(2) { CountsOfReading = 10 };
        pages.Counters[0].Value = 5_000_000_000;
        using PerfEventCounterSession session = Open(pages);
        session.Read();
        pages.Counters[0].Value = 3;
        session.Read();
        session.Record();
        using (session.Measure())
        {
            pages.Counters[0].Value = 0;
        }

        session.Counters[0].Delta.Should().Be(0);
        session.Counters[0].RawDelta.Should().Be(0);
        session.Counters[0].Value.Should().Be(0);
        session.Counters[0].Histogram.GetPercentileValue(100).Should().Be(0);
        session.Counters[0].Histogram.TotalCount.Should().Be(2);
    }

    [PerfFact]
    public void A_counter_that_takes_turns_is_scaled_and_says_so()
    {
        var pages = new ScriptedPages(2);
        using PerfEventCounterSession session = Open(pages);
        session.Read();
        pages.Counters[0] = new PerfPage { Value = 1_000, EnabledNanoseconds = 4_000, RunningNanoseconds = 1_000 };
        session.Read();
        session.Counters[0].Delta.Should().Be(4_000);
        session.Counters[0].RawDelta.Should().Be(1_000);
        session.Counters[0].RunningShare.Should().Be(0.25);
    }

    [ShimFact]
    public void The_library_reads_a_session_from_its_pages_and_falls_back_where_one_says_so()
    {
        SimulatedPage[] simulated = [ShimPages.NewPage(7_000_000_000), ShimPages.NewPage(9_000_000_000)];
        using (PerfEventCounterSession session = Open(new ShimPages(simulated)))
        {
            session.Read();
            session.Counters.Select(counter => counter.RawValue).Should().Equal(7_000_000_000, 9_000_000_000);
            simulated[0].Offset += 123;
            session.Read();
            session.WasReadInUserSpace.Should().BeTrue();
            session.Counters.Select(counter => counter.Delta).Should().Equal(123, 0);
            simulated[1].Index = 0;
            session.Read();
            session.WasReadInUserSpace.Should().BeFalse();
            session.Counters[0].RawValue.Should().BeLessThan(7_000_000_000, "all are the kernel's");
        }

        Array.ForEach(simulated, page => page.Dispose());
    }

    [PerfFact]
    public void Reading_in_user_space_allocates_nothing()
    {
        using PerfEventCounterSession session = Open(new ScriptedPages(2));
        Allocations.InSteadyState(() =>
        {
            session.Read();
            session.Record();
            using (session.Measure())
            {
                session.Read();
            }
        }).Should().Be(0);
        session.WasReadInUserSpace.Should().BeTrue();
    }

    private static PerfEventCounterSession Open(PerfPages pages) =>
        PerfEventCounterSession.Open(TwoCounters, PerfEventSources.System, (_, _) => pages);
}
