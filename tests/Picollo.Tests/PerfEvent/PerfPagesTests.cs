using Picollo.Interop.Native;
using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>Tests reading in user space: only the counted thread can read, and it reads all counters or none.</summary>
public sealed class PerfPagesTests
{
    [Fact]
    public void All_counters_or_none_are_read_for_any_number()
    {
        var untouched = new PerfReading { Raw = 77 };
        var into = new PerfReading[PerfEventGroup.MaxCounters];
        for (int count = 1; count <= PerfEventGroup.MaxCounters; count++)
        {
            var pages = new ScriptedPages(count);
            for (int missing = 0; missing < count; missing++)
            {
                Array.Fill(into, untouched);
                pages.Readable = (ulong.MaxValue >> (64 - count)) & ~(1ul << missing);
                pages.TryRead(into).Should().BeFalse("counter {0} of {1} is not on the CPU", missing, count);
                Array.TrueForAll(into, reading => reading.Raw == untouched.Raw).Should().BeTrue("none is read");
            }

            for (int i = 0; i < count; i++)
            {
                pages.Counters[i] = new PerfPage { Value = (ulong)(i + 1) << 40, EnabledNanoseconds = 300, RunningNanoseconds = 100 };
            }

            pages.Readable = ulong.MaxValue >> (64 - count);
            pages.TryRead(into).Should().BeTrue();
            for (int i = 0; i < count; i++)
            {
                into[i].Raw.Should().Be((ulong)(i + 1) << 40);
                into[i].Scaled.Should().Be(3 * ((ulong)(i + 1) << 40));
                (into[i].EnabledNanoseconds, into[i].RunningNanoseconds).Should().Be((300, 100));
            }

            into[count..].Select(reading => reading.Raw).Distinct().Should().BeSubsetOf([untouched.Raw]);
        }
    }

    [Fact]
    public void Another_thread_cannot_read_a_counter()
    {
        var pages = new ScriptedPages(3);
        NewThread.Run(() => pages.TryRead(new PerfReading[3])).Should().BeFalse();
        pages.Reads.Should().Be(0, "the instruction would read a counter of another CPU");
        pages.TryRead(new PerfReading[3]).Should().BeTrue();
    }

    [Fact]
    public void A_thread_with_the_reused_ID_is_not_the_owner()
    {
        ScriptedPages pages = NewThread.Run(() => new ScriptedPages(1));
        OnLaterThreads(() => pages.TryRead(new PerfReading[1]).Should().BeFalse());
        pages.Reads.Should().Be(0);
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public unsafe void The_library_reads_the_pages()
    {
        SimulatedPage[] simulated = [ShimPages.NewPage(1_000_000), ShimPages.NewPage(5), ShimPages.NewPage(1L << 60)];
        var pages = new ShimPages(simulated);
        var into = new PerfReading[3];
        pages.TryRead(into).Should().BeTrue();
        into.Select(reading => reading.Raw).Should().Equal(1_000_000, 5, 1ul << 60);

        simulated[1].Index = 0;
        pages.TryRead(into).Should().BeFalse("the second is not on the CPU");
        simulated[1].Index = 1;
        simulated[2].OffersCounter = false;
        pages.TryRead(into).Should().BeFalse("user code may not read the third");
        simulated[2].OffersCounter = true;
        simulated[0].Lock = 1;
        pages.TryRead(into).Should().BeFalse("the kernel is writing the first");
        simulated[0].Lock = 2;
        pages.TryRead(into).Should().BeTrue();
        Array.ForEach(simulated, page => page.Dispose());
    }

    [FactNeeding(Need.Linux, Need.NativeLibrary)]
    public void The_end_of_a_region_is_read_without_the_time_unless_a_counter_was_off_during_the_region()
    {
        SimulatedPage[] simulated = [.. Enumerable.Range(1, 4).Select(i => ShimPages.NewPage(i * 1_000))];
        Array.ForEach(simulated, page => page.OffersTime = true);
        Array.ForEach(simulated, page => page.TimeOffset = 50);
        simulated[2].TimeEnabled = 1_700; // off for 700 ns before the region
        var pages = new ShimPages(simulated);
        PerfReading[] starts = new PerfReading[4], ends = new PerfReading[4];

        pages.TryRead(starts).Should().BeTrue();
        starts.Select(start => start.EnabledNanoseconds).Should().Equal(1_050, 1_050, 1_750, 1_050);
        pages.ReadsOfTime.Should().Be(1);

        Array.ForEach(simulated, page => page.Offset += 7);
        pages.TryRead(ends, starts).Should().BeTrue();
        pages.ReadsOfTime.Should().Be(1, "all counters ran for the whole region, including the one that was off before it");
        Deltas().Should().Equal(7, 7, 7, 7);

        // The third counter is multiplexed for the first time in the region: 3,000 ns, of which it counted 1,000.
        Array.ForEach(simulated, page => page.TimeEnabled += 3_000);
        Array.ForEach(simulated, page => page.TimeRunning += 3_000);
        simulated[2].TimeRunning -= 2_000;
        pages.TryRead(ends, starts).Should().BeTrue();
        pages.ReadsOfTime.Should().Be(2);
        ends.Select(end => end.EnabledNanoseconds).Should().Equal(4_050, 4_050, 4_750, 4_050);
        ends.Select(end => end.RunningNanoseconds).Should().Equal(4_050, 4_050, 2_050, 4_050);
        Deltas().Should().Equal(7, 7, 21, 7);

        simulated[3].Index = 0;
        pages.TryRead(ends, starts).Should().BeFalse("the fourth is not on the CPU");
        Array.ForEach(simulated, page => page.Dispose());

        IEnumerable<ulong> Deltas() => starts.Zip(ends, (start, end) => PerfMath.Delta(start, end, overhead: 0));
    }

    [Theory]
    [InlineData(0, 31, 0)]
    [InlineData(6, 31, 6)]
    [InlineData(31, 31, 31)]
    [InlineData(100, 31, 31)]
    public void The_largest_group_is_found_by_opening_counters(int room, uint limit, uint found)
    {
        int opened = 0;
        HardwareCounterLimits.LargestGroup(() => opened++ < room, limit).Should().Be(found);
        opened.Should().BeLessThanOrEqualTo((int)limit, "no more counters are tried than the architecture has");
    }

    /// <summary>Runs an action on threads that start after another one has ended. The runtime reuses the ID of an ended thread, and one of
    /// these many threads gets it.</summary>
    internal static void OnLaterThreads(Action action)
    {
        const int Count = 100;
        for (int i = 0; i < 3; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        using var all = new Barrier(Count);
        NewThread.RunAll(Count, _ =>
        {
            all.SignalAndWait();
            action();
        });
    }
}
