using Picollo.Interop.Native;
using Picollo.Metrics;
using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>Tests sessions whose counters are read from pages: real kernel counters with simulated pages.</summary>
public sealed class UserSpaceSessionTests
{
    private static readonly PerfEventSettings TwoCounters = new()
    {
        Counters =
        [
            new PerfEventNumbers("faults", new PerfEventDefinition(PerfTypeId.Software, (ulong)PerfSoftwareCounterId.PageFaults)),
            new PerfEventNumbers("minor", new PerfEventDefinition(PerfTypeId.Software, (ulong)PerfSoftwareCounterId.MinorPageFaults)),
        ],
    };

    [FactNeeding(Need.PerfEvents)]
    public void The_kind_of_read_is_decided_at_every_read()
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
        session.WasReadInUserSpace.Should().BeFalse("a read by system call was requested");
    }

    [FactNeeding(Need.PerfEvents)]
    public void Without_user_space_reads_every_read_is_a_system_call()
    {
        PerfEventSettings settings = PerfEventCounterSession.Factory.WithUserSpaceReads(false).Settings with { Counters = TwoCounters.Counters };
        var pages = new ScriptedPages(2);
        using PerfEventCounterSession session = PerfEventCounterSession.Open(settings, PerfEventSources.System, (_, _) => pages);
        session.Read();
        session.WasReadInUserSpace.Should().BeFalse();
        pages.Reads.Should().Be(0);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Disposing_a_histogram_of_a_session_has_no_effect()
    {
        using PerfEventCounterSession session = Open(new ScriptedPages(2));
        session.Counters[0].Histogram.Dispose();
        using (session.Measure())
        {
        }

        session.Counters[0].Histogram.TotalCount.Should().Be(1);
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_thread_that_is_not_counted_reads_by_system_call()
    {
        var pages = new ScriptedPages(2);
        using PerfEventCounterSession session = Open(pages);
        pages.Counters[0].Value = 1_000_000_000; // no program has this many page faults
        int reads = pages.Reads;
        NewThread.Run(() =>
        {
            session.Read();
            using (session.Measure())
            {
            }

            return session.WasReadInUserSpace;
        }).Should().BeFalse();
        pages.Reads.Should().Be(reads);
        session.Counters[0].Current.Value.Should().BeLessThan(1_000_000_000);
        session.Read();
        session.Counters[0].Current.Value.Should().Be(1_000_000_000);
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_overhead_of_reading_is_subtracted_except_from_raw_values()
    {
        var pages = new ScriptedPages(2) { CountsOfReading = 40 };
        using PerfEventCounterSession session = Open(pages);
        session.Read();
        pages.Counters[0].Value += 1_000;
        session.Read();
        session.Record();
        session.Counters[0].Delta.Value.Should().Be(1_000);
        session.Counters[0].RawDelta.Value.Should().Be(1_040);
        session.Counters[1].Delta.Value.Should().Be(0);
        session.Counters[1].RawDelta.Value.Should().Be(40);

        using (session.Measure())
        {
            pages.Counters[0].Value += 2_000;
        }

        HdrHistogram recorded = session.Counters[0].Histogram;
        recorded.TotalCount.Should().Be(2);
        recorded.GetCountBetween(999, 1_001).Should().Be(1);
        recorded.GetCountBetween(1_998, 2_002).Should().Be(1);
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_overhead_of_a_region_is_measured_separately()
    {
        var pages = new ScriptedPages(2) { CountsOfReading = 40, CountsOfTime = 9 };
        using PerfEventCounterSession session = Open(pages);
        using (session.Measure())
        {
            pages.Counters[0].Value += 1_000;
        }

        session.Counters[0].Histogram.GetPercentileValue(100).Should().Be(1_000);
        session.Read();
        session.Read();
        session.Counters[0].RawDelta.Value.Should().Be(49);
        session.Counters[0].Delta.Value.Should().Be(0);
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_overhead_is_the_minimum_of_many_readings()
    {
        var pages = new ScriptedPages(2) { CountsOfReading = 40, InterruptedEvery = 5 };
        using PerfEventCounterSession session = Open(pages);
        do
        {
            session.Read();
        }
        while (pages.Reads % 5 != 0);
        session.Read();
        session.Counters[0].RawDelta.Value.Should().Be(40);
        session.Counters[0].Delta.Value.Should().Be(0);
        pages.Counters[0].Value += 1_000;
        session.Read();
        session.Counters[0].Delta.Value.Should().Be(1_000);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Between_two_kinds_of_reads_the_smaller_overhead_is_subtracted()
    {
        var pages = new ScriptedPages(1) { CountsOfReading = 1 };
        using PerfEventCounterSession session = PerfEventCounterSession.Open(OneClock, PerfEventSources.System, (_, _) => pages);
        session.Read();
        session.Read(forceSyscallRead: true);
        session.Counters[0].Delta.Value.Should().Be(session.Counters[0].RawDelta.Value - 1).And.BePositive();
        session.Read(forceSyscallRead: true);
        session.Counters[0].Delta.Value.Should().BeLessThan(session.Counters[0].RawDelta.Value - 1, "a call takes more than a nanosecond");
    }

    [FactNeeding(Need.PerfEvents)]
    public void Nothing_is_subtracted_if_another_thread_is_counted()
    {
        using var over = new ManualResetEventSlim();
        int id = 0;
        var other = new Thread(() =>
        {
            Volatile.Write(ref id, (int)Picollo.Cpu.CpuUsageReader.GetThreadId());
            over.Wait();
        });
        other.Start();
        SpinWait.SpinUntil(() => Volatile.Read(ref id) != 0);
        var pages = new ScriptedPages(2) { CountsOfReading = 40 };
        using (PerfEventCounterSession session = PerfEventCounterSession.Open(TwoCounters with { ThreadId = id }, PerfEventSources.System, (_, _) => pages))
        {
            session.Read();
            session.Counters[0].RawDelta.Value.Should().Be(40);
            session.Counters[0].Delta.Value.Should().Be(40);
        }

        over.Set();
        other.Join();
    }

    [FactNeeding(Need.PerfEvents)]
    public void The_overhead_of_pages_is_0_if_they_could_not_be_read()
    {
        var pages = new ScriptedPages(1) { Readable = 0 };
        using PerfEventCounterSession session = PerfEventCounterSession.Open(OneClock, PerfEventSources.System, (_, _) => pages);
        pages.Readable = 1;
        session.Read();
        pages.Counters[0].Value += 10;
        session.Read();
        session.Counters[0].Delta.Value.Should().Be(10, "it did not include the time of a call");
    }

    [FactNeeding(Need.PerfEvents)]
    public void Enabling_a_session_does_not_count_itself()
    {
        var pages = new ScriptedPages(2) { CountsOfReading = 40 };
        using PerfEventCounterSession session = PerfEventCounterSession.Open(TwoCounters with { IsEnabled = false }, PerfEventSources.System, (_, _) => pages);
        session.Read();
        session.Enable();
        session.Read();
        session.Counters[0].RawDelta.Value.Should().Be(40);
        session.Counters[0].Delta.Value.Should().Be(0);
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_session_that_fails_to_start_closes_its_files()
    {
        List<PerfEventFile> files = [];
        var action = () => PerfEventCounterSession.Open(TwoCounters, PerfEventSources.System, (groups, _) =>
        {
            files.AddRange(groups.SelectMany(group => group.Members).Select(member => member.File));
            return new FailingPages();
        });
        action.Should().Throw<InvalidOperationException>();
        files.Should().HaveCount(2).And.OnlyContain(file => file.IsClosed);
    }

    [FactNeeding(Need.PerfEvents)]
    public unsafe void Only_counters_that_count_just_the_calling_thread_have_a_page()
    {
        HasPages(TwoCounters).Should().BeTrue();
        HasPages(TwoCounters with { ThreadId = (int)Picollo.Cpu.CpuUsageReader.GetThreadId() }).Should().BeTrue("it is the calling thread");
        HasPages(TwoCounters with { Cpu = 0, Inherited = true }).Should().BeFalse("a page does not include the children of the thread");
        HasPages(TwoCounters with { ProcessId = 0, Inherited = false }).Should().BeFalse();

        static bool HasPages(PerfEventSettings settings)
        {
            List<bool> have = [];
            PerfEventCounterSession.Open(settings, PerfEventSources.System, (groups, _) =>
            {
                have.AddRange(groups.SelectMany(group => group.Members).Select(member => member.File.Page != null));
                return null;
            }).Dispose();
            have.Distinct().Should().HaveCount(1);
            return have[0];
        }
    }

    [FactNeeding(Need.PerfEvents)]
    public void Clock_counters_are_in_separate_groups_and_the_others_in_one()
    {
        int[] sizes = [];
        PerfEventSettings settings = TwoCounters with { Counters = [TwoCounters.Counters[0], OneClock.Counters[0], TwoCounters.Counters[1]] };
        using PerfEventCounterSession session = PerfEventCounterSession.Open(settings, PerfEventSources.System, (groups, _) =>
        {
            sizes = [.. groups.Select(group => group.Count)];
            groups.SelectMany(group => group.Members).Select(member => member.Counter).Should().Equal(0, 2, 1);
            return null;
        });
        sizes.Should().Equal(2, 1);
    }

    [FactNeeding(Need.PerfEvents)]
    public void Nested_regions_have_separate_readings()
    {
        var pages = new ScriptedPages(2);
        using PerfEventCounterSession session = Open(pages);
        using (session.Measure())
        {
            pages.Counters[0].Value += 100;
            pages.Counters[1].Value += 200;
            using (session.Measure())
            {
                pages.Counters[0].Value += 1;
                pages.Counters[1].Value += 2;
            }
        }

        session.Counters.Select(counter => counter.Histogram.GetPercentileValue(0)).Should().Equal(1, 2);
        session.Counters.Select(counter => counter.Histogram.GetPercentileValue(100)).Should().Equal(101, 202);
    }

    [FactNeeding(Need.PerfEvents)]
    public void A_multiplexed_counter_is_scaled()
    {
        var pages = new ScriptedPages(2);
        using PerfEventCounterSession session = Open(pages);
        session.Read();
        pages.Counters[0] = new PerfPage { Value = 1_000, EnabledNanoseconds = 4_000, RunningNanoseconds = 1_000 };
        session.Read();
        session.Counters[0].Delta.ScaledValue.Should().Be(4_000);
        session.Counters[0].Delta.Value.Should().Be(1_000);
        session.Counters[0].RawDelta.Value.Should().Be(1_000);
        session.Counters[0].RunningShare.Should().Be(0.25);
        (session.Counters[0].TimeEnabled.Ticks, session.Counters[0].TimeRunning.Ticks).Should().Be((40, 10));
    }

    private static readonly PerfEventSettings OneClock = new()
    {
        Counters = [new PerfEventNumbers("clock", new PerfEventDefinition(PerfTypeId.Software, (ulong)PerfSoftwareCounterId.TaskClock))],
    };

    private sealed unsafe class FailingPages() : PerfPages(new nint[2], null, null)
    {
        protected override ulong ReadAll(PerfPage* counters, int count, bool withTimes) => throw new InvalidOperationException();
    }

    private static PerfEventCounterSession Open(PerfPages pages) =>
        PerfEventCounterSession.Open(TwoCounters, PerfEventSources.System, (_, _) => pages);
}
