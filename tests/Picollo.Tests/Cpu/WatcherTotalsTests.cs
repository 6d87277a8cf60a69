using Picollo.Cpu;

namespace Picollo.Tests.Cpu;

/// <summary>Tests <see cref="CpuUsageAsyncWatcher.Totals"/> with the segments of real flows.</summary>
public sealed class WatcherTotalsTests
{
    /// <summary>A thread that is still leaving the flow is read with its clock, and later with <c>getrusage</c>, whose resolution is
    /// coarser.</summary>
    private const long ClockDifference = 1_000_000;

    [Fact]
    public Task The_list_of_a_watcher_that_is_stopped_while_other_threads_run_adds_up_to_its_usage() => InSeparateFlow(async () =>
    {
        for (int i = 0; i < 100; i++)
        {
            var watcher = new CpuUsageAsyncWatcher(listSwitches: true);
            Task[] children = [.. Enumerable.Range(0, 4).Select(_ => Task.Run(async () =>
            {
                Thread.SpinWait(1_000);
                await Task.Yield();
                Thread.SpinWait(1_000);
            }))];
            Task second = Task.Run(watcher.Stop);
            watcher.Stop();
            await second;

            Sum(watcher.Totals).Should().Be(watcher.GetSummaryCpuUsage());
            await Task.WhenAll(children);
            Sum(watcher.Totals).Should().Be(watcher.GetSummaryCpuUsage(), "the children are not counted after the stop");
        }
    });

    /// <summary>This holds regardless of the threads and of the time of the query.</summary>
    [Fact]
    public Task The_sum_of_the_segments_is_the_summary_of_any_flow() => InSeparateFlow(async () =>
    {
        for (int seed = Seeded.FirstSeed; seed != Seeded.FirstSeed + 30; seed = unchecked(seed + 1))
        {
            var random = new Random(seed);
            var watcher = new CpuUsageAsyncWatcher(listSwitches: true);
            await Run(random, depth: 3);
            CpuUsage earlier = watcher.GetSummaryCpuUsage();
            CpuUsage listed = Sum(watcher.Totals);
            CpuUsage later = watcher.GetSummaryCpuUsage();
            watcher.Stop();

            listed.TotalNanoseconds.Should().BeInRange(
                earlier.TotalNanoseconds - ClockDifference, later.TotalNanoseconds + ClockDifference, "PICOLLO_TEST_SEED={0}", seed);
            Sum(watcher.Totals).Should().Be(watcher.GetSummaryCpuUsage(), "PICOLLO_TEST_SEED={0}", seed);
        }

        // Runs one step after the other.
        static async Task Run(Random random, int depth)
        {
            for (int i = 0; i < 4; i++)
            {
                switch (random.Next(depth > 0 ? 6 : 4))
                {
                    case 0:
                        Thread.SpinWait(200);
                        break;
                    case 1:
                        await Task.Yield();
                        break;
                    case 2:
                        NewThread.Run(() => Thread.SpinWait(50));
                        break;
                    case 3:
                        using (CpuUsageAsyncWatcher.Suspend())
                        {
                            Thread.SpinWait(50);
                        }

                        break;
                    case 4:
                        using (new CpuUsageAsyncWatcher(listSwitches: random.Next(2) == 0))
                        {
                            await Run(random, depth - 1);
                        }

                        break;
                    default:
                        await Task.Run(() => Run(random, depth - 1));
                        break;
                }
            }
        }
    });

    [Fact]
    public void A_watcher_that_starts_or_stops_in_the_flow_does_not_divide_a_segment()
    {
        using var watcher = new CpuUsageAsyncWatcher(listSwitches: true);
        for (int i = 0; i < 3; i++)
        {
            using var inner = new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly);
            Thread.Sleep(1);
        }

        TimeSpan duration = watcher.Totals.Should().ContainSingle("no thread has left the flow").Which.Duration;
        duration.Should().BeGreaterThanOrEqualTo(TimeSpan.FromMilliseconds(2)).And.BeLessThanOrEqualTo(watcher.WallTime);
        watcher.Stop();
        watcher.Totals.Should().ContainSingle();
    }

    [Fact]
    public void Segments_that_still_run_are_listed_last()
    {
        using var watcher = new CpuUsageAsyncWatcher(listSwitches: true);
        using var mayEnd = new ManualResetEventSlim();
        using var runs = new ManualResetEventSlim();
        NewThread.Run(static () => { });
        var running = new Thread(() =>
        {
            runs.Set();
            mayEnd.Wait();
        });
        running.Start();
        runs.Wait();

        watcher.Totals.Should().HaveCount(3, "one thread has ended, one waits, and this one queries");
        CpuFlowSegment first = watcher.Totals[0];
        mayEnd.Set();
        running.Join();
        watcher.Totals.Should().HaveCount(3).And.HaveElementAt(0, first);
        watcher.SwitchCount.Should().Be(2);
    }

    [Fact]
    public void Time_in_which_the_flow_is_suspended_is_not_in_a_segment()
    {
        using var watcher = new CpuUsageAsyncWatcher(listSwitches: true);
        using (CpuUsageAsyncWatcher.Suspend())
        {
            long ticks = watcher.Totals.Single().WallTicks;
            Thread.Sleep(1);
            watcher.Totals.Single().WallTicks.Should().Be(ticks);
        }

        watcher.Totals.Should().ContainSingle();
    }

    [Fact]
    public void A_correction_of_a_segment_is_not_a_segment()
    {
        CpuUsageAsyncWatcher watcher = NewThread.Run(() => new CpuUsageAsyncWatcher(listSwitches: true), flow: false);
        watcher.Add(new CpuSegment(5, new CpuUsage(3, 2)), byThreadSwitch: true, wallTicks: 9);
        watcher.Add(new CpuSegment(1, default), byThreadSwitch: false);

        Listed().Should().Equal(new CpuFlowSegment(9, new CpuUsage(3, 2)));
        watcher.Stop();
        watcher.Add(new CpuSegment(5, new CpuUsage(3, 2)), byThreadSwitch: true, wallTicks: 9);
        Listed().Should().ContainSingle("a segment that ends after the stop is not counted");

        // The segment of the thread above, which ended without a report, has no wall time. It is listed when any thread enters a flow.
        IEnumerable<CpuFlowSegment> Listed() => watcher.Totals.Where(segment => segment.WallTicks != 0);
    }

    [Fact]
    public void Segments_that_end_concurrently_are_all_added_and_listed()
    {
        const int Segments = 50_000, Threads = 4;
        CpuUsageAsyncWatcher watcher = NewThread.Run(() => new CpuUsageAsyncWatcher(listSwitches: true), flow: false);
        NewThread.Run(static () => new CpuUsageAsyncWatcher().Stop()); // ends the segment of that thread
        (long total, CpuUsage split, long switches) = (watcher.GetTotalNanoseconds(), watcher.GetSummaryCpuUsage(), watcher.SwitchCount);
        NewThread.RunAll(Threads, _ =>
        {
            for (int i = 0; i < Segments; i++)
            {
                watcher.Add(new CpuSegment(5, new CpuUsage(3, 2)), byThreadSwitch: true, wallTicks: 7);
            }
        });

        watcher.SwitchCount.Should().Be(switches + (Threads * Segments));
        watcher.GetTotalNanoseconds().Should().Be(total + (5L * Threads * Segments));
        watcher.GetSummaryCpuUsage().Should().Be(split + new CpuUsage(3L * Threads * Segments, 2L * Threads * Segments));
        watcher.Totals.Count(segment => segment.WallTicks == 7 && segment.CpuUsage == new CpuUsage(3, 2)).Should().Be(Segments * Threads);
    }

    [Fact]
    public void A_switch_allocates_56_bytes_only_if_it_is_listed()
    {
        BytesOfSwitch(() => new CpuUsageAsyncWatcher()).Should().Be(0);
        BytesOfSwitch(() => new CpuUsageAsyncWatcher(listSwitches: true)).Should().Be(56);

        // Runs on a thread outside the flow, which enters it and leaves it again.
        static long BytesOfSwitch(Func<CpuUsageAsyncWatcher> create)
        {
            (CpuUsageAsyncWatcher watcher, ExecutionContext flow) =
                NewThread.Run(() => (create(), ExecutionContext.Capture()!), flow: false);
            long bytes = NewThread.Run(
                () => Allocations.InSteadyState(() => ExecutionContext.Run(flow, static _ => { }, null)), flow: false);
            watcher.Stop();
            return bytes / 100;
        }
    }

    [Fact]
    public void A_list_requires_user_and_kernel_time() =>
        FluentActions.Invoking(() => new CpuUsageAsyncWatcher(CpuUsageDetail.TotalOnly, listSwitches: true))
            .Should().Throw<ArgumentException>().WithParameterName("listSwitches");

    [Fact]
    public void A_watcher_without_a_list_throws_with_a_remedy()
    {
        using var watcher = new CpuUsageAsyncWatcher();

        watcher.Invoking(one => one.Totals).Should().Throw<InvalidOperationException>().WithMessage("*listSwitches: true*");
        watcher.Invoking(one => one.ToHumanString()).Should().Throw<InvalidOperationException>();
        watcher.Stop();
        watcher.Invoking(one => one.Totals).Should().Throw<InvalidOperationException>();
    }

    // Runs in a separate flow.
    private static Task InSeparateFlow(Func<Task> test) => Task.Run(test);

    private static CpuUsage Sum(IReadOnlyList<CpuFlowSegment> segments) =>
        CpuUsage.Sum(segments.Select(segment => segment.CpuUsage));
}
