namespace Picollo.AspNetCore.Tests.Usage;

public sealed class PageReaderTests : IDisposable
{
    private readonly Clock _clock = new();
    private readonly HdrHistogramRegistry _registry = new();
    private readonly ServiceProvider _services;
    private readonly RouteTable _routes;

    public PageReaderTests()
    {
        _services = new ServiceCollection()
            .AddLogging()
            .AddSingleton<TimeProvider>(_clock)
            .AddSingleton(_registry)
            .AddPicollo()
            .BuildServiceProvider();
        _routes = _services.GetRequiredService<RouteTable>();
    }

    public void Dispose() => _services.Dispose();

    [Fact]
    public void The_first_reading_covers_the_time_since_the_start()
    {
        Count("/before", 1_000_000, 1000);
        PageReader reader = Start();
        _clock.Advance(100);
        Count(500);

        PageReading reading = reader.Read();

        reading.Window.Should().Be(TimeSpan.FromSeconds(100));
        reading.Routes.Select(route => (route.Row.Name, route.Rate)).Should().Equal(("/orders", 5), ("/before", 0));
    }

    [Fact]
    public void Frequent_readings_cover_the_last_ten_seconds()
    {
        PageReader reader = Start();
        _clock.Advance(1000);
        reader.Read();
        List<(double Window, double Rate)> seen = [];
        for (int second = 1; second <= 14; second++)
        {
            _clock.Advance(1);
            Count((ulong)second);
            PageReading reading = reader.Read();
            seen.Add((reading.Window.TotalSeconds, reading.Routes[0].Rate));
        }

        seen.Take(3).Should().Equal((1, 1), (2, 1.5), (3, 2));
        seen.Skip(9).Should().Equal((10, 5.5), (10, 6.5), (10, 7.5), (10, 8.5), (10, 9.5));
        reader.KeptReadings.Should().Be(12, "the newest of those that are too old is kept, too");
    }

    [Fact]
    public void Rare_readings_cover_the_time_since_the_last_reading()
    {
        PageReader reader = Start();
        foreach (int seconds in new[] { 60, 15, 11, 300 })
        {
            _clock.Advance(seconds);
            Count((ulong)seconds * 3);
            PageReading reading = reader.Read();
            reading.Window.TotalSeconds.Should().Be(seconds);
            reading.Routes[0].Rate.Should().Be(3);
        }
    }

    [Fact]
    public void Two_concurrent_readers_do_not_shorten_each_others_window()
    {
        PageReader reader = Start();
        for (int i = 0; i < 40; i++)
        {
            _clock.Advance(0.05);
            Count(1);
            reader.Read();
        }

        reader.Read().Window.TotalSeconds.Should().BeApproximately(2, 1e-6);
        reader.Read().Routes[0].Rate.Should().BeApproximately(20, 1e-6);
        _clock.Advance(100);
        reader.Read();
        for (int i = 0; i < 250; i++)
        {
            _clock.Advance(0.05);
            Count(1);
            reader.Read();
        }

        PageReading last = reader.Read();
        last.Window.TotalSeconds.Should().BeInRange(9, 10);
        last.Routes[0].Rate.Should().BeApproximately(20, 1e-3);
        reader.KeptReadings.Should().BeLessThan(50, "there were twenty readings per second for ten seconds");
    }

    [Fact]
    public void A_reading_that_follows_too_soon_has_a_longer_window()
    {
        PageReader reader = Start();
        _clock.Advance(100);
        reader.Read();
        _clock.Advance(0.6);
        reader.Read().Window.TotalSeconds.Should().BeApproximately(100.6, 1e-6);
        _clock.Advance(0.4);
        reader.Read().Window.TotalSeconds.Should().BeApproximately(1, 1e-6);
    }

    [Fact]
    public void A_recent_reading_is_shared()
    {
        PageReader reader = Start();
        _clock.Advance(1);
        PageReading first = reader.Read(TimeSpan.FromSeconds(0.5));
        _clock.Advance(0.4);
        reader.Read(TimeSpan.FromSeconds(0.5)).Should().BeSameAs(first);
        reader.Read().Should().NotBeSameAs(first, "a new reading was requested").And.NotBeSameAs(reader.Read());
        _clock.Advance(0.6);
        PageReading later = reader.Read(TimeSpan.FromSeconds(0.5));
        later.Time.Should().Be(_clock.GetUtcNow());
        _clock.Advance(0.1);
        later = reader.Read();
        _clock.Advance(0.5);
        reader.Read(TimeSpan.FromSeconds(0.5)).Should().BeSameAs(later, "it is as old as permitted");
    }

    [Fact]
    public void The_share_of_the_machine_is_CPU_seconds_per_second_per_processor()
    {
        PageReader reader = Start();
        _clock.Advance(10);
        Count("/orders", 1_000_000_000, (ulong)Environment.ProcessorCount * 5);

        PageReading reading = reader.Read();

        reading.Routes[0].MachineShare.Should().BeApproximately(0.5, 0.005);
        reading.Processors.Should().Be(Environment.ProcessorCount);
        reading.ProcessShare.Should().BePositive();
        reading.Parts.Sum(part => part.MachineShare).Should().BeApproximately(reading.ProcessShare!.Value, 1e-9);
        _clock.Advance(10);
        reader.Read().Routes[0].MachineShare.Should().Be(0);
    }

    [Fact]
    public void A_histogram_that_was_reset_starts_again()
    {
        HdrHistogram histogram = HdrHistogram.Factory.WithMaxTrackableValue(1000).Create();
        _registry.Add("size", histogram);
        PageReader reader = Start();
        histogram.Record(5, 100);
        _clock.Advance(1);
        reader.Read().Histograms[0].Rate.Should().Be(100);
        histogram.Reset();
        histogram.Record(5, 20);
        histogram.Record(100_000, 10);
        _clock.Advance(15);

        RowReading usage = reader.Read().Histograms[0];

        (usage.Rate, usage.Count, usage.MachineShare, usage.Percentiles[0]!.OutOfRange, usage.Percentiles[0]!.Max).Should().Be((2, 30, 0, 10, 5));
    }

    [Fact]
    public void A_route_has_the_share_of_its_kernel_time_if_it_is_measured()
    {
        PageReader reader = Start();
        reader.Read().MissingStates.Should().BeNull();
        _routes.Get("GET", "/split").Record(new RunValues(40, 50, new CpuUsage(30, 10)));
        _routes.Get("GET", "/total").Record(new RunValues(40, 50));

        PageReading reading = reader.Read();
        reading.Routes.Select(route => (route.Row.Name, route.KernelShare)).Should().BeEquivalentTo([("/split", (double?)0.25), ("/total", null)]);
        reading.MissingStates.Should().BeNull("no states are measured");
    }

    [Fact]
    public void Two_readings_at_the_same_moment_have_no_rate()
    {
        PageReader reader = Start();
        Count(5);
        PageReading reading = reader.Read();
        (reading.Window, reading.Routes[0].Rate, reading.Routes[0].MachineShare, reading.ProcessShare).Should().Be((TimeSpan.Zero, 0, 0, 0));
    }

    private PageReader Start() => _services.GetRequiredService<PageReader>();

    private void Count(ulong requests) => Count("/orders", 1_000_000_000, requests);

    private void Count(string route, long cpuNanoseconds, ulong requests)
    {
        for (ulong i = 0; i < requests; i++)
        {
            _routes.Get("GET", route).Record(new RunValues(cpuNanoseconds, 3 * cpuNanoseconds, null));
        }
    }
}
