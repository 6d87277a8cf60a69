namespace Picollo.AspNetCore.Tests.Usage;

public sealed class RecentHistoryTests : IDisposable
{
    private const long Millisecond = 1_000_000;

    private readonly Clock _clock = new();
    private readonly ServiceProvider _services;
    private readonly RouteTable _routes;
    private readonly PageReader _reader;
    private readonly RecentHistory _recent;

    public RecentHistoryTests()
    {
        _services = new ServiceCollection()
            .AddLogging()
            .AddSingleton<TimeProvider>(_clock)
            .AddPicollo(options => (options.Requests.MaxRoutes, options.Requests.MeasureAllocations) = (256, true))
            .BuildServiceProvider();
        _routes = _services.GetRequiredService<RouteTable>();
        _reader = _services.GetRequiredService<PageReader>();
        _recent = _services.GetRequiredService<RecentHistory>();
    }

    public void Dispose() => _services.Dispose();

    [Fact]
    public void A_window_excludes_the_slow_first_requests()
    {
        Count("/a", 900 * Millisecond);
        View(null);
        for (int second = 0; second < 65; second++)
        {
            _clock.Advance(1);
            Count("/a", 2 * Millisecond);
            View(RecentWindow.Minute);
        }

        Percentiles since = Cpu(View(null), "/a");
        Percentiles minute = Cpu(View(RecentWindow.Minute), "/a");

        since.Count.Should().Be(66);
        since.Max.Should().BeCloseTo(900 * (ulong)Millisecond, (ulong)Millisecond * 9);
        minute.Count.Should().BeInRange(60, 65, "the window starts up to 10 s before the minute");
        minute.Max.Should().BeCloseTo(2 * (ulong)Millisecond, (ulong)Millisecond / 50);
        minute.Sum.Should().Be(minute.Count * 2d * Millisecond, "the sum is exact");
    }

    [Fact]
    public void The_states_of_a_run_that_are_added_after_its_end_are_not_in_later_windows()
    {
        using ServiceProvider services = new ServiceCollection()
            .AddLogging().AddSingleton<TimeProvider>(_clock).AddPicollo(options => options.Requests.LatencyBreakdown = true).BuildServiceProvider();
        (PageReader reader, RecentHistory recent) = (services.GetRequiredService<PageReader>(), services.GetRequiredService<RecentHistory>());
        RouteRow route = services.GetRequiredService<RouteTable>().Get("GET", "/a");
        route.Record(new RunValues(Millisecond, Millisecond));
        recent.ReadWindow(reader.Read(), null).MissingStates.Should().EndWith("set MeasureRuntime.");
        route.Latency!.Add(new LatencyBreakdown(new LatencyTimes { Cpu = Millisecond }, LatencyStates.Cpu, estimated: default));
        for (int i = 0; i < 8; i++)
        {
            _clock.Advance(10);
            recent.ReadWindow(reader.Read(), null);
        }

        RowReading minute = recent.ReadWindow(reader.Read(), RecentWindow.Minute).Routes.Single();
        (minute[RunFact.WallTime]!.Count, minute.Latency!.Count).Should().Be((0, 0));
    }

    [Fact]
    [Trait("Category", "Slow")]
    public void Each_window_contains_the_requests_in_its_time() => Seeded.Run(1, random =>
    {
        using ServiceProvider services = new ServiceCollection()
            .AddLogging().AddSingleton<TimeProvider>(_clock).AddPicollo().BuildServiceProvider();
        (RouteTable routes, PageReader reader, RecentHistory recent) = (
            services.GetRequiredService<RouteTable>(), services.GetRequiredService<PageReader>(), services.GetRequiredService<RecentHistory>());
        List<double> counted = [];
        double now = 0;
        recent.ReadWindow(reader.Read(), null);
        for (int i = 0; i < 200; i++)
        {
            double step = random.Next(1, 80) / 10.0;
            _clock.Advance(step);
            now += step;
            routes.Get("GET", "/a").Record(new RunValues(Millisecond, Millisecond, null));
            counted.Add(now);
            foreach (RecentWindow window in RecentWindow.All)
            {
                PageReading reading = recent.ReadWindow(reader.Read(), window);
                double length = reading.RecentTime.TotalSeconds;
                double expected = Math.Min(now, window.Length.TotalSeconds);
                length.Should().BeInRange(expected - window.Step.TotalSeconds, expected + window.Step.TotalSeconds + 0.001);
                reading.Routes[0].Percentiles[0]!.Count.Should().Be((ulong)counted.Count(time => time > now - length + 1e-6));
            }

            recent.Moments.Should().BeLessThanOrEqualTo(19);
        }
    });

    [Fact]
    public void After_a_pause_a_window_starts_again()
    {
        Count("/a", Millisecond);
        View(RecentWindow.Minute);
        _clock.Advance(300);
        Count("/a", Millisecond, 5);

        PageReading first = View(RecentWindow.Minute);
        first.RecentTime.Should().Be(TimeSpan.Zero);
        Cpu(first, "/a").HasValues.Should().BeFalse("it is unknown which of the five were in the last minute");
        PageReading ten = View(RecentWindow.TenMinutes);
        ten.RecentTime.Should().Be(TimeSpan.FromSeconds(300));
        Cpu(ten, "/a").Count.Should().Be(5);

        _clock.Advance(3600);
        View(null);
        _recent.Moments.Should().Be(1, "moments older than the longest window are removed");
    }

    [Fact]
    public void A_new_row_is_in_a_window_with_all_its_values()
    {
        View(null);
        _clock.Advance(5);
        Count("/new", 3 * Millisecond, 7, allocated: 2048);

        PageReading reading = View(RecentWindow.TenMinutes);

        RowReading row = reading.Routes.Single(route => route.Row.Name == "/new");
        row.Percentiles.Take(2).Select(percentiles => percentiles!.Count).Should().Equal(7, 7);
        row[RunFact.AllocatedBytes]!.Count.Should().Be(7);
        row.Count.Should().Be(7);
        reading.RecentTime.Should().Be(TimeSpan.FromSeconds(5));
        _recent.Moments.Should().Be(1, "the second reading is too soon");
    }

    [Fact]
    public void Without_a_window_the_reading_is_unchanged_and_a_shared_window_is_computed_once()
    {
        Count("/a", Millisecond);
        PageReading reading = _reader.Read();
        _recent.ReadWindow(reading, null).Should().BeSameAs(reading);
        _recent.ReadWindow(reading, RecentWindow.Minute).Should().BeSameAs(_recent.ReadWindow(reading, RecentWindow.Minute));
        _recent.ReadWindow(reading, RecentWindow.TenMinutes).Recent.Should().Be(RecentWindow.TenMinutes);
    }

    [Theory]
    [InlineData("1m", 1.0), InlineData("10m", 10.0), InlineData("", null), InlineData("60", null)]
    public void A_window_has_an_ID(string id, double? minutes) => (RecentWindow.Find(id)?.Length.TotalMinutes).Should().Be(minutes);

    [Fact]
    public void A_window_starts_at_the_newest_moment_that_is_old_enough()
    {
        for (int i = 0; i < 10; i++)
        {
            View(null);
            _clock.Advance(10);
        }

        View(RecentWindow.Minute).RecentTime.Should().Be(RecentWindow.Minute.Length);
    }

    [Fact]
    public void Plots_have_the_same_window()
    {
        _routes.Get("GET", "/a").Record(new RunValues(900 * Millisecond, 950 * Millisecond, null));
        View(null);
        _clock.Advance(5);
        Count("/a", Millisecond, 3);
        PageRow row = View(null).Routes[0].Row;

        IReadOnlyList<ReadOnlyHdrHistogram> recent = _recent.HistogramsOf(row, RecentWindow.Minute);
        recent.Select(histogram => histogram.TotalCount).Should().Equal(3, 3);
        recent.Should().OnlyContain(histogram => histogram.GetPercentileValue(100) < 2 * Millisecond, "CPU and wall time exclude the first request");
        _recent.HistogramsOf(row, null).Select(histogram => histogram.TotalCount).Should().Equal(4, 4);
    }

    [Fact]
    public void Unchanged_rows_share_their_state_and_old_moments_are_thinned_out()
    {
        Count("/a", Millisecond);
        View(null);
        long kept = _recent.KeptBytes;
        for (int i = 0; i < 12; i++)
        {
            _clock.Advance(10);
            View(null);
        }

        _recent.Moments.Should().Be(9, "they are at 0 and from 50 to 120 s");
        _recent.KeptBytes.Should().Be(kept);
        for (int i = 0; i < 48; i++)
        {
            _clock.Advance(10);
            View(null);
        }

        _recent.Moments.Should().Be(17, "they are at 0, 1, 2 … 8 minutes, and from 530 to 600 s");
    }

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(2, 100, 3)]
    [InlineData(4, int.MaxValue, 140)]
    public void The_memory_with_256_routes_is_limited(int facts, int buckets, int megabytes)
    {
        const int Part = 8; // the memory is proportional to the number of routes
        Random random = new(1);
        RouteRow[] routes = [.. Enumerable.Range(0, 256 / Part).Select(i => _routes.Get("GET", $"/{i}"))];
        foreach (RouteRow route in routes)
        {
            foreach (RunFactDescription fact in RunFacts.Recorded.Take(facts))
            {
                Fill(route.HistogramOf(fact.Fact)!, random, buckets);
            }
        }

        for (int moment = 0; moment < 25; moment++)
        {
            Array.ForEach(routes, route => route.Record(new RunValues(Millisecond, Millisecond, null))); // each state changes, so it is kept again
            View(null);
            _clock.Advance(moment < 15 ? 60 : 10);
        }

        _recent.Moments.Should().BeInRange(17, 19);
        (Part * _recent.KeptBytes).Should().BeInRange(megabytes * 700_000L, megabytes * 1_000_000L);
    }

    /// <summary>Records counts of any size in a number of buckets from a millisecond up, or in all buckets.</summary>
    private static void Fill(HdrHistogram histogram, Random random, int buckets)
    {
        foreach (Bucket bucket in histogram.Buckets.Where(bucket => buckets == int.MaxValue || bucket.Start >= Millisecond).Take(buckets))
        {
            histogram.Record(bucket.Start + (bucket.Step / 2), (ulong)random.Next(1, buckets == int.MaxValue ? 1 << 20 : 1000));
        }
    }

    private void Count(string route, long nanoseconds, int count = 1, long allocated = 0)
    {
        for (int i = 0; i < count; i++)
        {
            _routes.Get("GET", route).Record(new RunValues(nanoseconds, nanoseconds, null) { [RunFact.AllocatedBytes] = allocated });
        }
    }

    private PageReading View(RecentWindow? window) => _recent.ReadWindow(_reader.Read(), window);

    private static Percentiles Cpu(PageReading reading, string route) =>
        reading.Routes.Single(usage => usage.Row.Name == route).Percentiles[0]!;
}
