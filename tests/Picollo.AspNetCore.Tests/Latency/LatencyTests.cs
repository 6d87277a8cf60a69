using Picollo.AspNetCore.Tests.Requests;

namespace Picollo.AspNetCore.Tests.Latency;

/// <summary>Tests the states of requests to routes whose causes are known.</summary>
[Trait("Category", "Slow")]
public class LatencyTests
{
    private static readonly TimeSpan Wait = TimeSpan.FromMilliseconds(40);

    [Fact]
    public async Task Each_route_is_mostly_in_the_state_of_its_cause()
    {
        object gate = new();
        await using RequestApp app = await StartAsync(web =>
        {
            web.MapGet("/sleep", () => Thread.Sleep(Wait));
            web.MapGet("/delay", () => Task.Delay(Wait));
            web.MapGet("/lock", () => WaitForLock(gate));
            web.MapGet("/spin", () => Burn.Milliseconds((int)Wait.TotalMilliseconds));
            web.MapGet("/wait", () => Task.Delay(Wait).Wait());
        });
        await app.SendAsync("/sleep", "/delay", "/lock", "/spin", "/wait");
        IReadOnlyDictionary<string, LatencySums> routes = await ReadAsync(app, 5);

        LongerThan(routes["/sleep"], LatencyState.Blocked, Wait / 2);
        LongerThan(routes["/delay"], LatencyState.Await, Wait / 2);
        LongerThan(routes["/lock"], LatencyState.Lock, Wait / 2);
        LongerThan(routes["/spin"], LatencyState.Cpu, Wait);
        (routes["/sleep"].SumOf(LatencyState.Lock), routes["/spin"].SumOf(LatencyState.Lock)).Should().Be((0, 0));
        routes["/sleep"].SumOf(LatencyState.Await).Should().BeLessThan((long)Wait.TotalNanoseconds / 2, "its thread never leaves it");

        // On a busy machine, a thread loses its CPU while it spins before it waits, and then waits in the run queue.
        LatencySums syncOverAsync = routes["/wait"];
        (syncOverAsync.SumOf(LatencyState.Blocked) + (syncOverAsync.SumOf(LatencyState.RunQueue) ?? 0))
            .Should().BeGreaterThan((long)Wait.TotalNanoseconds / 2);
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
        });
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
            web => web.MapGet("/delay/{milliseconds:int}", (int milliseconds) => Task.Delay(milliseconds)),
            options => options.Requests.LatencyBudget = TimeSpan.FromSeconds(1));
        await app.SendAsync("/delay/1", "/delay/1100");
        await Eventually.IsTrueAsync(() => Lines().Count > 0);

        Lines()[0].Should().MatchRegex(@"^GET /delay/\{milliseconds:int\} (took|has taken) \S+ ms: await .* and (ended with status 200|is still running)$");
        await Eventually.IsTrueAsync(() => app.Services.GetRequiredService<RequestReporter>().OverLatencyBudget!.Count == 1);

        List<string> Lines() => [.. app.Log.Of(RequestReporter.LogCategory).Select(line => line.Text)];
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

    private static void LongerThan(LatencySums route, LatencyState state, TimeSpan time) =>
        route.SumOf(state).Should().BeGreaterThanOrEqualTo((long)time.TotalNanoseconds, state.ToString());

    // Another thread holds the lock until this one has waited for some time.
    private static void WaitForLock(object gate)
    {
        Thread waiter = Thread.CurrentThread;
        using ManualResetEventSlim held = new();
        bool isAtLock = false;
        Thread holder = new(() =>
        {
            lock (gate)
            {
                held.Set();
                SpinWait.SpinUntil(
                    () => Volatile.Read(ref isAtLock) && (waiter.ThreadState & ThreadState.WaitSleepJoin) != 0, TimeSpan.FromSeconds(10));
                Thread.Sleep(Wait);
            }
        });
        holder.UnsafeStart();
        held.Wait();
        Volatile.Write(ref isAtLock, true);
        lock (gate)
        {
        }

        holder.Join();
    }
}
