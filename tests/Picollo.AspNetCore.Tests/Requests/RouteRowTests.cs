namespace Picollo.AspNetCore.Tests.Requests;

public class RouteRowTests
{
    [Theory]
    [InlineData(-5, 1_000)]
    [InlineData(0, 1_000)]
    [InlineData(1_000_000, 1_000_000)]
    [InlineData(long.MaxValue, 3_600_000_000_000)]
    public void Requests_outside_the_range_are_counted(long nanoseconds, ulong calls)
    {
        RouteRow usage = new("GET", "/x");
        usage.Record(new RunValues(nanoseconds, nanoseconds, null));

        usage.HistogramOf(RunFact.CpuTime)!.TotalCount.Should().Be(1);
        usage.HistogramOf(RunFact.WallTime)!.TotalCount.Should().Be(1);
        ((double)usage.HistogramOf(RunFact.CpuTime)!.GetPercentileValue(100)).Should().BeApproximately(calls, calls * 0.01);
    }

    [Fact]
    public void A_row_has_a_label_and_the_requested_facts_of_which_a_rare_one_is_shown_when_it_has_a_value()
    {
        WorkRow work = new("import", new() { MeasureAllocations = true, LatencyBreakdown = true });
        RouteRow route = new("GET", "/x");

        (work.Label, route.Label).Should().Be((new FlowLabel("", "import"), new FlowLabel("GET", "/x")));
        (work.Latency is null, route.Latency is null).Should().Be((false, true));
        FactsOf(work).Should().Equal(RunFact.CpuTime, RunFact.WallTime, RunFact.AllocatedBytes);
        FactsOf(route).Should().Equal(RunFact.CpuTime, RunFact.WallTime);
        route.Record(new RunValues(1, 1) { [RunFact.RequestBodyBytes] = 5 });
        FactsOf(route).Should().Equal(RunFact.CpuTime, RunFact.WallTime, RunFact.RequestBodyBytes);

        static IEnumerable<RunFact> FactsOf(Row row) =>
            RunFacts.Recorded.Where(fact => row.ShownHistogramOf(fact) is not null).Select(fact => fact.Fact);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Bytes_that_are_known_after_the_end_are_recorded_once(bool isInPercentiles)
    {
        using CpuUsageAsyncWatcher run = new();
        WorkRow row = new("import", new() { MeasureAllocations = true });
        OpenSegments open = OpenSegments.Find(run);
        open.TryWait();
        row.Record(new RunValues(1, 1) { [RunFact.AllocatedBytes] = 5, Open = open }, isInPercentiles: isInPercentiles);

        (row.HistogramOf(RunFact.AllocatedBytes)!.TotalCount, row.SumOf(RunFact.AllocatedBytes)).Should().Be(isInPercentiles ? (1UL, 5L) : (0UL, 0L));
    }

    [Fact]
    public void Memory_does_not_grow_with_the_number_of_threads()
    {
        const int Threads = 20;
        RouteRow usage = new("GET", "/x");
        ulong recorded = 0;
        for (long nanoseconds = 1_000; nanoseconds < 3_600_000_000_000; nanoseconds = nanoseconds * 11 / 10)
        {
            usage.Record(new RunValues(nanoseconds, nanoseconds, null)); // allocates all counters
            recorded++;
        }

        long before = Footprint();
        using Barrier all = new(Threads);
        Thread[] threads = [.. Enumerable.Range(0, Threads).Select(_ => new Thread(() =>
        {
            usage.Record(new RunValues(5_000, 9_000, null));
            all.SignalAndWait(); // all threads are alive at the same time
        }))];
        Array.ForEach(threads, thread => thread.Start());
        Array.ForEach(threads, thread => thread.Join());

        (usage.HistogramOf(RunFact.CpuTime)!.TotalCount, usage.HistogramOf(RunFact.WallTime)!.TotalCount).Should().Be((recorded + Threads, recorded + Threads));
        Footprint().Should().Be(before).And.BeInRange(18_000, 22_000, "PicolloRequestOptions.MaxRoutes states a maximum of 22 KB");

        for (ulong size = 1; size < 1UL << 40; size += (size / 200) + 1)
        {
            usage.HistogramOf(RunFact.RequestBodyBytes)!.Record(size);
        }

        usage.HistogramOf(RunFact.RequestBodyBytes)!.FootprintInBytes.Should().BeInRange(8_000, 10_500, "it states a maximum of 10 KB for bodies");

        long Footprint() => usage.HistogramOf(RunFact.CpuTime)!.FootprintInBytes + usage.HistogramOf(RunFact.WallTime)!.FootprintInBytes
            + usage.Durations.Sum(duration => duration.Registration.Histogram.FootprintInBytes);
    }

    [Fact]
    public void User_and_kernel_time_are_summed()
    {
        RouteRow usage = new("GET", "/x");
        usage.Record(new RunValues(5_000, 9_000, new CpuUsage(3_000, 2_000)));
        usage.Record(new RunValues(5_000, 9_000, new CpuUsage(4_000, 1_000)));

        usage.Split.Should().Be(new CpuUsage(7_000, 3_000));
    }
}
