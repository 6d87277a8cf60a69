using System.Diagnostics;
using Picollo.AspNetCore.Tests.Page;
using Picollo.AspNetCore.Tests.Requests;
using Picollo.AspNetCore.Tests.Usage;
using Picollo.Diagnostics;

namespace Picollo.AspNetCore.Tests.Latency;

/// <summary>Tests the states of requests to routes whose causes are known.</summary>
[Trait("Category", "Slow")]
public class LatencyTests
{
    private const int MaxRequests = 50; // on a busy machine, a thread can lose its CPU before it waits or leaves the flow

    private static readonly TimeSpan Wait = TimeSpan.FromMilliseconds(40);

    [Fact]
    public async Task Each_route_is_mostly_in_the_state_of_its_cause()
    {
        await using RequestApp app = await StartAsync(web =>
        {
            web.MapGet("/sleep", () => Thread.Sleep(Wait));
            web.MapGet("/delay", () => Task.Delay(Wait));
            web.MapGet("/lock", () => HeldLock.WaitFor(Wait));
            web.MapGet("/spin", () => Burn.Milliseconds((int)Wait.TotalMilliseconds));
            web.MapGet("/wait", () => Task.Delay(Wait).Wait());
        });
        await ShouldBeIn("/sleep", Wait / 2, LatencyState.Blocked);
        await ShouldBeIn("/delay", Wait / 2, LatencyState.Await);
        await ShouldBeIn("/lock", Wait / 2, LatencyState.Lock);
        await ShouldBeIn("/spin", Wait, LatencyState.Cpu);
        await ShouldBeIn("/wait", Wait / 2, LatencyState.Blocked, LatencyState.RunQueue); // a thread can lose its CPU while it spins
        (LatencyOf("/sleep").SumOf(LatencyState.Lock), LatencyOf("/spin").SumOf(LatencyState.Lock)).Should().Be((0, 0));

        // The mean of several requests.
        async Task ShouldBeIn(string route, TimeSpan least, params LatencyState[] states)
        {
            for (int sent = 1; sent == 1 || MeanOf(route, states) < least.TotalNanoseconds; sent++)
            {
                sent.Should().BeLessThan(MaxRequests, "{0} should be in {1}, but is for {2} ns", route, states[0], MeanOf(route, states));
                await app.SendAsync(route);
                await Eventually.IsTrueAsync(() => app.Routes.All.Any(row => row.Route == route) && LatencyOf(route).Count == sent);
            }
        }

        double MeanOf(string route, LatencyState[] states) =>
            app.Routes.All.Any(row => row.Route == route) ? states.Sum(state => LatencyOf(route).Mean?[state] ?? 0) : 0;

        LatencySums LatencyOf(string route) => app.Routes.All.Single(row => row.Route == route).Latency!.Read();
    }

    [Fact]
    public async Task The_states_add_up_to_the_durations_and_never_decrease()
    {
        object gate = new();
        await using RequestApp app = await StartAsync(web =>
        {
            web.MapPicollo().AllowAnonymous();
            web.MapGet("/lock", () =>
            {
                lock (gate)
                {
                    Thread.Sleep(1);
                }
            });
            web.MapGet("/yield", async () =>
            {
                await Task.Yield();
                await Task.WhenAll(Task.Run(() => Thread.SpinWait(1000)), Task.Run(() => Thread.SpinWait(1000)));
            });
        }, options => options.Requests.CpuUsageDetail = CpuUsageDetail.UserAndKernel);
        Task[] clients = [.. Enumerable.Range(0, 4).Select(i => Task.Run(async () =>
        {
            for (int n = 0; n < 25; n++)
            {
                await app.SendAsync(i % 2 == 0 ? "/lock" : "/yield");
            }
        }))];
        Dictionary<string, double> latest = [];
        while (true)
        {
            bool isLast = clients.All(client => client.IsCompleted)
                && app.Routes.All.Where(route => route.Route is "/lock" or "/yield").Sum(route => route.Latency!.Read().Count) == 100;
            foreach ((string series, double value) in await ScrapeAsync(app))
            {
                value.Should().BeGreaterThanOrEqualTo(latest.GetValueOrDefault(series), series);
                latest[series] = value;
            }

            if (isLast)
            {
                break;
            }

            await Task.Delay(20);
        }

        await Task.WhenAll(clients);
        foreach (string route in (string[])["/lock", "/yield"])
        {
            string label = $"http_route=\"{route}\"";
            double sum = Total("picollo_http_server_time_seconds_total", label), duration = Total("http_server_request_duration_seconds_sum", label);
            sum.Should().BeApproximately(duration, 1e-9).And.BePositive();
        }

        double Total(string name, string label) => latest.Where(
            series => series.Key.StartsWith(name, StringComparison.Ordinal) && series.Key.Contains(label, StringComparison.Ordinal)).Sum(series => series.Value);
    }

    [Fact]
    public async Task Json_has_the_states_of_routes_work_and_slow_requests()
    {
        await using RequestApp app = await StartAsync(web =>
        {
            web.MapPicollo().AllowAnonymous();
            web.MapGet("/delay", async (WorkMeter work) =>
            {
                using (work.Measure("import"))
                {
                    await Task.Delay(Wait);
                }
            });
        });
        await app.SendAsync([.. Enumerable.Repeat("/delay", 12)]);
        await ReadAsync(app, 12);
        await Eventually.IsTrueAsync(() => app.Services.GetRequiredService<WorkMeter>().All.Single().Latency!.Read().Count == 12);
        using JsonDocument json = JsonDocument.Parse(await app.Client.GetStringAsync("/picollo/json"));
        JsonElement route = json.RootElement.GetProperty("routes").EnumerateArray().Single(route => route.GetProperty("route").GetString() == "/delay");

        foreach (JsonElement row in (JsonElement[])[route, json.RootElement.GetProperty("work")[0]])
        {
            JsonElement breakdown = row.GetProperty("breakdown"), mean = breakdown.GetProperty("mean");
            mean.GetProperty("await").GetDouble().Should().BeGreaterThan(Wait.TotalSeconds / 2);
            mean.EnumerateObject().Where(state => !state.Name.StartsWith("cpu.", StringComparison.Ordinal)).Sum(state => state.Value.GetDouble())
                .Should().BeApproximately(row.GetProperty("wallSeconds").GetProperty("sum").GetDouble() / 12, 1e-6);
            breakdown.GetProperty("p50").GetProperty("await").GetDouble().Should().BePositive();
            breakdown.GetProperty("p99").ValueKind.Should().Be(JsonValueKind.Null);
        }

        json.RootElement.GetProperty("slowestRequests")[0].GetProperty("breakdown").GetProperty("states").GetProperty("await").GetDouble().Should().BePositive();
    }

    [Fact]
    public async Task A_request_above_the_budget_is_logged_with_its_states_and_kept()
    {
        await using RequestApp app = await StartAsync(
            web =>
            {
                web.MapPicollo().AllowAnonymous();
                web.MapGet("/delay/{milliseconds:int}", (int milliseconds) => Task.Delay(milliseconds));
            },
            options => (options.Requests.LatencyBreakdown, options.Requests.LatencyBudget) = (false, TimeSpan.FromSeconds(1))); // implies the states
        await app.SendAsync("/delay/1", "/delay/1100");
        await Eventually.IsTrueAsync(() => Lines().Count > 0);

        Lines()[0].Should().MatchRegex(@"^GET /delay/\{milliseconds:int\} (took|has taken) \S+ ms: await .* and (ended with status 200|is still running)$");
        await Eventually.IsTrueAsync(() => app.Services.GetRequiredService<RequestReporter>().OverLatencyBudget!.Count == 1);
        (await app.Client.GetStringAsync("/picollo")).Should().MatchRegex(
            """(?s)<summary>Last requests above the latency budget.*?GET.*?/delay/\{milliseconds:int\}.*?<svg class="states" [^>]* aria-label="await [^"]*".*?</table>""");

        List<string> Lines() => [.. app.Log.Of(RequestReporter.LogCategory).Select(line => line.Text)];
    }

    [Fact]
    public async Task Rejected_requests_have_no_states_because_the_durations_exclude_them()
    {
        await using RequestApp app = await StartAsync(web =>
        {
            web.MapGet("/rejected", () => { Thread.Sleep(1); return Results.StatusCode(429); });
            web.MapGet("/sleep", () => Thread.Sleep(1));
        });
        await app.SendAsync("/rejected", "/sleep");
        IReadOnlyDictionary<string, LatencySums> routes = await ReadAsync(app, 1);

        (routes["/rejected"].Count, routes["/sleep"].Count).Should().Be((0, 1));
    }

    [Fact]
    public async Task A_sampled_span_has_the_states_in_seconds()
    {
        using ActivityListener sampler = new()
        {
            ShouldListenTo = static source => source.Name == "Microsoft.AspNetCore",
            Sample = static (ref _) => ActivitySamplingResult.AllDataAndRecorded,
        };
        ActivitySource.AddActivityListener(sampler);
        Activity? span = null;
        await using RequestApp app = await StartAsync(web => web.MapGet("/delay", () =>
        {
            span = Activity.Current;
            return Task.Delay(Wait);
        }));
        Dictionary<string, double> states = [];
        for (int i = 0; i < MaxRequests && states.GetValueOrDefault("picollo.time.await") <= Wait.TotalSeconds / 2; i++)
        {
            span = null;
            await app.SendAsync("/delay");
            await Eventually.IsTrueAsync(() => span?.Duration > TimeSpan.Zero);
            states = span!.TagObjects.Where(tag => tag.Key.StartsWith("picollo.time.", StringComparison.Ordinal))
                .ToDictionary(tag => tag.Key, tag => (double)tag.Value!);
        }

        states["picollo.time.await"].Should().BeGreaterThan(Wait.TotalSeconds / 2);
        states.Values.Should().OnlyContain(seconds => seconds > 0);
        states.Values.Sum().Should().BeLessThanOrEqualTo(span!.Duration.TotalSeconds);
    }

    [Fact]
    public async Task Long_lived_requests_are_never_above_the_budget()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.MapGet("/stream", () => Task.Delay(500)).WithLongLivedRequests(); // several checks of the budget
                web.MapGet("/delay", () => Task.Delay(Wait));
            },
            picollo => (picollo.Requests.LatencyBreakdown, picollo.Requests.LatencyBudget) = (true, Wait / 2),
            FastTimers.TenTimes);
        await app.SendAsync("/stream", "/delay");
        RequestReporter reporter = app.Services.GetRequiredService<RequestReporter>();
        await Eventually.IsTrueAsync(() => reporter.OverLatencyBudget!.Count > 0 && app.Log.Of(RequestReporter.LogCategory).Any());

        reporter.OverLatencyBudget!.Select(request => request.Row.Route).Should().Equal("/delay");
        app.Log.Of(RequestReporter.LogCategory).Should().OnlyContain(line => line.Text.StartsWith("GET /delay ", StringComparison.Ordinal));
    }

    [Fact]
    public void Runs_that_may_have_waited_for_a_lock_are_added_later_and_further_ones_at_once()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        RouteRow row = new("GET", "/x", new PicolloRequestOptions { LatencyBreakdown = true });
        CpuUsageAsyncWatcher run = new(measureLatency: true);
        Thread.Sleep(1);
        run.Stop();
        Clock clock = new();
        using LateLatencies late = new(clock);
        for (int i = 0; i < LateLatencies.MaxWaiting - 1; i++)
        {
            late.Add(row, run);
        }

        row.Latency!.Read().Count.Should().Be(0);
        clock.Advance(LateLatencies.Delay.TotalSeconds / 2);
        late.Add(row, run);
        late.Add(row, run);
        row.Latency.Read().Count.Should().Be(1, "too many wait");
        clock.Advance(LateLatencies.Delay.TotalSeconds / 2);
        row.Latency.Read().Count.Should().Be(LateLatencies.MaxWaiting, "later runs do not delay the first ones");
        clock.Advance(LateLatencies.Delay.TotalSeconds / 2);
        row.Latency.Read().Count.Should().Be(LateLatencies.MaxWaiting + 1);
        late.Add(row, run);
        row.Latency.Read().Count.Should().Be(LateLatencies.MaxWaiting + 1, "no run waits any more");
        late.Dispose();
        row.Latency.Read().Count.Should().Be(LateLatencies.MaxWaiting + 2, "nothing is lost at the end");
    }

    [Fact]
    public async Task Without_the_option_nothing_is_measured()
    {
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapGet("/x", () => "x"));
        await app.CountsAfterAsync("/x");

        app.Routes.All.Single().Latency.Should().BeNull();
        app.Services.GetRequiredService<PageReader>().Read().Routes.Single().Latency.Should().BeNull();
    }

    private static Task<RequestApp> StartAsync(Action<WebApplication> map, Action<PicolloOptions>? options = null) => RequestApp.StartAsync(
        map,
        picollo =>
        {
            (picollo.Requests.LatencyBreakdown, picollo.MeasureRuntime) = (true, true);
            options?.Invoke(picollo);
        });

    private static async Task<IReadOnlyDictionary<string, LatencySums>> ReadAsync(RequestApp app, int requests)
    {
        await Eventually.IsTrueAsync(() => app.Routes.All.Sum(route => route.Latency!.Read().Count) >= requests);
        return app.Routes.All.ToDictionary(route => route.Route, route => route.Latency!.Read());
    }

    private static async Task<List<(string Series, double Value)>> ScrapeAsync(RequestApp app)
    {
        string text = await app.Client.GetStringAsync("/picollo/metrics");
        return
        [
            .. from line in text.Split('\n')
               where line.StartsWith("picollo_http_server_time_seconds_total", StringComparison.Ordinal)
                   || line.StartsWith("http_server_request_duration_seconds_sum", StringComparison.Ordinal)
               let end = line.LastIndexOf(' ')
               select (line[..end], double.Parse(line[end..], CultureInfo.InvariantCulture)),
        ];
    }
}
