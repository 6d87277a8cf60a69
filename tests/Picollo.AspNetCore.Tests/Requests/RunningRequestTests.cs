namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the data about requests that have not ended and about work that requests have started.</summary>
[Trait("Category", "Slow")]
public class RunningRequestTests
{
    private const double Burnt = 50; // milliseconds
    private const double BurntSeconds = Burnt / 1000;

    [Fact]
    public async Task The_total_of_a_route_grows_while_a_request_runs_and_includes_the_request_once_at_the_end()
    {
        using Steps steps = new();
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapGet("/slow", async () =>
        {
            Burn.Milliseconds(Burnt);
            await steps.NextAsync();
            Burn.Milliseconds(Burnt);
            await steps.NextAsync();
        }));
        PageReader reader = app.Services.GetRequiredService<PageReader>();
        Task request = app.Client.GetStringAsync("/slow");
        await steps.ReachedAsync();
        RowReading first = reader.Read().Routes.Single();
        double countedTwice = reader.Read().Routes.Single().Sum;
        steps.Continue();
        await steps.ReachedAsync();
        RowReading second = reader.Read().Routes.Single();
        steps.Continue();
        await request;
        await app.GetCountsAsync(1);
        RowReading ended = reader.Read().Routes.Single();

        (first.Row.Name, first.Count, first.Percentiles[0]!.Count).Should().Be(("/slow", 0, 0), "the request has not ended");
        (first.Sum / 1e9).Should().BeGreaterThanOrEqualTo(BurntSeconds);
        countedTwice.Should().BeInRange(first.Sum, first.Sum + 20e6, "CPU time is not counted twice");
        second.Sum.Should().BeGreaterThanOrEqualTo(first.Sum + (BurntSeconds * 1e9));
        ended.Count.Should().Be(1);
        ended.Sum.Should().Be(app.Routes.All.Single().SumOf(RunFact.CpuTime)).And.BeGreaterThanOrEqualTo(second.Sum);
    }

    [Fact]
    public async Task Requests_that_end_during_scrapes_are_counted_once()
    {
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapGet("/", () => { Burn.Milliseconds(1); }));
        RunList running = app.Services.GetRequiredService<RunList>();
        Task scrapes = Task.Run(() =>
        {
            long last = 0;
            while (app.Routes.All.Sum(route => route.Responses) < 200)
            {
                running.Read();
                long now = app.Routes.All.Sum(route => route.TotalCpuNanoseconds);
                now.Should().BeGreaterThanOrEqualTo(last);
                last = now;
            }
        });
        await Parallel.ForAsync(0, 200, async (_, cancellation) => await app.Client.GetStringAsync("/", cancellation));
        await scrapes;

        app.Routes.All.Single().TotalCpuNanoseconds.Should().Be(app.Routes.All.Single().SumOf(RunFact.CpuTime));
        running.Read().Should().BeEmpty();
    }

    [Fact]
    public async Task Running_requests_are_counted_and_the_oldest_and_the_most_expensive_are_shown()
    {
        using Steps steps = new();
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.MapPicollo().AllowAnonymous();
                web.MapGet("/items/{id}", async (int id) =>
                {
                    Burn.Milliseconds(Burnt * id);
                    await steps.NextAsync();
                });
                web.MapPost("/poll", steps.NextAsync).WithLongLivedRequests();
            },
            options => options.Requests.ShowPaths = true);
        List<Task> requests = [];
        await Begin(app.Client.PostAsync("/poll", null));
        await Begin(app.Client.GetStringAsync("/items/0"));
        await Begin(app.Client.GetStringAsync("/items/1"));
        string json = await app.Client.GetStringAsync("/picollo/json");
        steps.Continue(3);
        await Task.WhenAll(requests);

        JsonElement running = JsonDocument.Parse(json).RootElement.GetProperty("running");
        JsonElement oldest = running.GetProperty("oldest"), mostExpensive = running.GetProperty("mostExpensive");
        (running.GetProperty("count").GetInt32(), running.GetProperty("longLived").GetInt32()).Should().Be((3, 1));
        (oldest.GetProperty("method").GetString(), oldest.GetProperty("name").GetString(), oldest.GetProperty("path").GetString())
            .Should().Be(("GET", "/items/{id}", "/items/0"));
        mostExpensive.GetProperty("path").GetString().Should().Be("/items/1");
        mostExpensive.GetProperty("cpuSeconds").GetDouble().Should().BeGreaterThanOrEqualTo(BurntSeconds);
        oldest.GetProperty("ageSeconds").GetDouble().Should().BeGreaterThanOrEqualTo(mostExpensive.GetProperty("ageSeconds").GetDouble());

        async Task Begin(Task request)
        {
            requests.Add(request);
            await steps.ReachedAsync();
        }
    }

    [Fact]
    public async Task By_default_paths_are_not_shown()
    {
        using Steps steps = new();
        await using RequestApp app = await RequestApp.StartAsync(web =>
        {
            web.MapPicollo().AllowAnonymous();
            web.MapGet("/items/{id}", steps.NextAsync);
        });
        Task request = app.Client.GetStringAsync("/items/secret");
        await steps.ReachedAsync();
        string all = await app.Client.GetStringAsync("/picollo/json") + await app.Client.GetStringAsync("/picollo");
        steps.Continue();
        await request;

        all.Should().Contain("/items/{id}").And.NotContain("secret");
    }

    [Fact]
    public async Task A_running_request_that_exceeds_the_budget_is_logged_once()
    {
        using Steps steps = new();
        Timers time = new();
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGet("/slow", async () =>
            {
                Burn.Milliseconds(Burnt);
                await steps.NextAsync();
            }),
            options => options.Requests.CpuBudget = TimeSpan.FromMilliseconds(Burnt / 2),
            builder => builder.Services.AddSingleton<TimeProvider>(time));
        Task request = app.Client.GetStringAsync("/slow");
        await steps.ReachedAsync();
        time.Fire();
        time.Fire();
        steps.Continue();
        await request;
        await app.GetCountsAsync(1);

        LogLine line = app.Log.Of(RequestReporter.LogCategory).Should().ContainSingle().Subject;
        line.Event.Name.Should().Be("OverCpuBudgetWhileRunning");
        line.Text.Should().StartWith("GET /slow has taken ").And.EndWith("and is still running");
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Work_that_a_request_has_started_is_counted_after_the_response(bool isMeasured)
    {
        using Steps steps = new();
        Task work = Task.CompletedTask;
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapGet("/start", () =>
            {
                work = Task.Run(async () =>
                {
                    await steps.NextAsync();
                    Burn.Milliseconds(Burnt);
                });
            }),
            options => options.Requests.MeasureAfterResponse = isMeasured);
        await app.Client.GetStringAsync("/start");
        await app.GetCountsAsync(1);
        long before = app.Routes.All.Single().TotalCpuNanoseconds;
        await steps.ReachedAsync();
        steps.Continue();
        await work;

        app.Routes.All.Single().TotalCpuNanoseconds.Should().Be(before);
        double after = app.Routes.All.Single().AfterEndNanoseconds / 1e9;
        (after >= BurntSeconds).Should().Be(isMeasured, $"it is {after} s");
    }

    /// <summary>A time provider whose timer the test fires.</summary>
    private sealed class Timers : TimeProvider
    {
        private readonly List<(TimerCallback Callback, object? State)> _timers = [];

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            _timers.Add((callback, state));
            return new Timer(static _ => { });
        }

        public void Fire() => _timers.ForEach(timer => timer.Callback(timer.State));
    }
}
