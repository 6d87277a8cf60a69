using Microsoft.AspNetCore.Http.Connections;
using Microsoft.AspNetCore.SignalR;
using Microsoft.AspNetCore.SignalR.Client;
using Microsoft.Extensions.Hosting;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the measurement of named work.</summary>
public class WorkMeterTests
{
    private const double Burnt = 20; // milliseconds

    [Fact]
    public void A_run_that_ended_during_a_reading_is_not_counted_again()
    {
        RunList list = new();
        WorkRow row = new("work", new()), endedRow = new("ended", new());
        ListedRun ended = new(endedRow), last = new(row);
        list.Add(last, new());
        ListedRun removing = new(row) { OnDescribed = () => _ = ended.Watcher is null ? default : list.Remove(ended) }; // described after the newer run
        list.Add(removing, new());
        list.Add(ended, new());
        Burn.Milliseconds(1);

        IReadOnlyList<RunReading> read = list.Read();
        read.Select(run => run.Run).Should().Equal(removing, last);
        (endedRow.TotalCpuNanoseconds, row.TotalCpuNanoseconds).Should().Be((0, read.Sum(run => run.CpuNanoseconds)));
        read = list.Read();
        row.TotalCpuNanoseconds.Should().Be(read.Sum(run => run.CpuNanoseconds), "only the new time is added");

        list.Remove(last);
        list.Remove(removing);
        list.Read().Should().BeEmpty();

        row.Record(new RunValues(1, 1), counted: 1_000_000);
        row.TotalCpuNanoseconds.Should().Be(read.Sum(run => run.CpuNanoseconds), "it never decreases");
    }

    [Fact]
    public void Each_budget_of_a_run_is_reported_once()
    {
        RunList list = new();
        ListedRun run = new(new WorkRow("work", new()));
        list.Add(run, new());
        RunReading reading = list.Read().Single();

        foreach (bool isFirst in (bool[])[true, false])
        {
            list.TryMarkReported(reading, Budgets.Cpu).Should().Be(isFirst);
            list.TryMarkReported(reading, Budgets.Latency).Should().Be(isFirst);
        }

        list.Remove(run).Reported.Should().Be(Budgets.Cpu | Budgets.Latency);
        list.TryMarkReported(reading, Budgets.Cpu).Should().BeFalse("it has ended");
    }

    [Fact]
    public async Task A_run_ends_once()
    {
        await using RequestApp app = await RequestApp.StartAsync(_ => { });
        WorkMeter meter = app.Services.GetRequiredService<WorkMeter>();
        WorkMeter.WorkRun run = meter.Start("once");
        run.End(WorkResult.Completed);
        run.End(WorkResult.Failed);
        run.Dispose();

        WorkRow row = meter.All.Single();
        (row[WorkResult.Completed], row[WorkResult.Failed], row.HistogramOf(RunFact.CpuTime)!.TotalCount).Should().Be((1, 0, 1));
    }

    [Fact]
    public async Task Work_of_a_background_service_has_its_own_row_while_it_runs_and_afterwards()
    {
        using Steps steps = new();
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapPicollo().AllowAnonymous(),
            build: builder => builder.Services.AddSingleton(steps).AddHostedService<Import>());
        await steps.ReachedAsync();
        JsonElement running = await ReadAsync();
        string exposition = await app.Client.GetStringAsync("/picollo/metrics");
        steps.Continue();
        await steps.ReachedAsync();
        JsonElement ended = await ReadAsync();
        string page = await app.Client.GetStringAsync("/picollo");
        steps.Continue();

        running.GetProperty("name").GetString().Should().Be("import");
        running.GetProperty("count").GetInt32().Should().Be(0);
        running.GetProperty("cpuSecondsTotal").GetDouble().Should().BeGreaterThanOrEqualTo(Burnt / 1e3);
        exposition.Should().Contain("picollo_work_cpu_seconds_total{work=\"import\"} 0.0");
        ended.GetProperty("count").GetInt32().Should().Be(1);
        ended.GetProperty("cpuSecondsTotal").GetDouble().Should().Be(ended.GetProperty("cpuSeconds").GetProperty("sum").GetDouble())
            .And.BeGreaterThanOrEqualTo(2 * Burnt / 1e3, "the part after the wait ran on another thread");
        page.Should().Contain("Named work").And.Contain("<bdi>import</bdi>");

        async Task<JsonElement> ReadAsync() =>
            JsonDocument.Parse(await app.Client.GetStringAsync("/picollo/json")).RootElement.GetProperty("work")[0];
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Work_inside_a_request_or_other_work_is_counted_once()
    {
        const double Unit = 50; // milliseconds
        double own = 0, inner = 0, outer = 0;
        await using RequestApp app = await RequestApp.StartAsync(web => web.MapGet("/", (WorkMeter meter) =>
        {
            using (meter.Measure("outer"))
            {
                using (meter.Measure("inner"))
                {
                    inner = Burn.Milliseconds(3 * Unit);
                }

                outer = Burn.Milliseconds(2 * Unit);
            }

            own = Burn.Milliseconds(Unit);
        }));
        await app.Client.GetStringAsync("/");
        await app.GetCountsAsync(1);

        Row[] rows = [.. app.Services.GetRequiredService<WorkMeter>().All, app.Routes.All.Single()];
        rows.Select(row => row.Name).Should().Equal("inner", "outer", "/");
        foreach ((Row row, double milliseconds) in rows.Zip([inner, outer, own]))
        {
            // Time that is counted twice would add two units or more. A smaller excess can be time of the hypervisor, which the thread's clock includes.
            (row.TotalCpuNanoseconds / 1e6).Should().BeInRange(milliseconds, milliseconds + (2 * Unit), row.Name);
        }
    }

    [Fact]
    public async Task The_number_of_names_is_limited_and_a_run_ends_once()
    {
        await using RequestApp app = await RequestApp.StartAsync(_ => { }, options => options.Requests.MaxRoutes = 2);
        WorkMeter meter = app.Services.GetRequiredService<WorkMeter>();
        foreach (string name in new[] { "a", "b", "c", "d", "a" })
        {
            MeasuredWork run = meter.Measure(name), copy = run;
            run.Dispose();
            run.Dispose();
            copy.Dispose();
        }

        meter.All.Select(row => (row.Name, row.HistogramOf(RunFact.CpuTime)!.TotalCount)).Should().Equal(("(other)", 2), ("a", 2), ("b", 1));
        meter.Invoking(one => one.Measure("")).Should().Throw<ArgumentException>().WithParameterName("name");
        default(MeasuredWork).Dispose();
        app.Services.GetRequiredService<RunList>().Read().Should().BeEmpty();
    }

    [Fact]
    public async Task If_CPU_time_is_unavailable_work_runs_without_being_measured()
    {
        await using RequestApp app = await RequestApp.StartAsync(_ => { }, measureAll: false);
        app.Services.GetRequiredService<RequestReporter>().Probe =
            static () => throw new MeasurementUnavailableException("no clock", MeasurementUnavailableCause.Unknown);

        using (app.Services.GetRequiredService<WorkMeter>().Measure("import"))
        {
            Burn.Milliseconds(1);
        }

        app.Services.GetRequiredService<WorkMeter>().All.Should().BeEmpty();
        app.Log.Of(RequestReporter.LogCategory).Should().ContainSingle().Which.Text.Should().Contain("no clock");
    }

    /// <summary>Without the filter, methods over long polling run in the flow of a request that has ended.</summary>
    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(HttpTransportType.WebSockets, true)]
    [InlineData(HttpTransportType.ServerSentEvents, true)]
    [InlineData(HttpTransportType.LongPolling, true)]
    [InlineData(HttpTransportType.WebSockets, false)]
    [InlineData(HttpTransportType.LongPolling, false)]
    public async Task Hub_methods_have_rows_over_every_transport_or_are_counted_for_the_hub(HttpTransportType transport, bool isNamed)
    {
        const int Calls = 10;
        await using RequestApp app = await RequestApp.StartAsync(
            web => web.MapHub<BurningHub>("/hub"),
            build: builder =>
            {
                builder.Services.AddSignalR();
                _ = isNamed ? builder.Services.AddPicollo().AddPicolloHubMethods().AddPicolloHubMethods() : null;
            });
        HubConnection connection = new HubConnectionBuilder().WithUrl(new Uri(app.Address, "/hub"), transport).Build();
        await connection.StartAsync();
        for (int i = 0; i < Calls; i++)
        {
            (await connection.InvokeAsync<double>("Burn")).Should().BeGreaterThanOrEqualTo(Burnt);
        }

        await connection.StopAsync();
        await connection.DisposeAsync();
        (await app.SendAsync("/hub/negotiate")).Should().Equal(405);
        await Eventually.IsTrueAsync(() => app.Routes.All.Any(route => route.Route == "/hub (long-lived)" && route.Responses > 0)
            && app.Routes.All.Any(route => (route.Method, route.Route) == ("GET", "/hub/negotiate")));

        string[] rows = [.. app.Routes.All.Select(route => $"{route.Method} {route.Route}")];
        rows.Where(row => row is not ("_OTHER /hub" or "POST /hub")).Should()
            .BeEquivalentTo("GET /hub (long-lived)", "GET /hub/negotiate", "POST /hub/negotiate");
        rows.Contains("POST /hub").Should().Be(transport != HttpTransportType.WebSockets);
        long ofRoutes = app.Routes.All.Sum(route => route.TotalCpuNanoseconds + route.AfterEndNanoseconds);
        long methods = (long)(Calls * Burnt * 1e6);
        if (!isNamed)
        {
            ofRoutes.Should().BeGreaterThanOrEqualTo(methods);
            app.Services.GetRequiredService<WorkMeter>().All.Should().BeEmpty();
            return;
        }

        Row row = app.Services.GetRequiredService<WorkMeter>().All.Should().ContainSingle().Subject;
        (row.Name, row.HistogramOf(RunFact.CpuTime)!.TotalCount).Should().Be(("BurningHub.Burn", Calls));
        row.TotalCpuNanoseconds.Should().BeGreaterThanOrEqualTo(methods);
        ofRoutes.Should().BeLessThan(row.TotalCpuNanoseconds * 3, "the connection does not include the time of the methods");
    }

    private sealed class BurningHub : Hub
    {
        public double Burn() => Requests.Burn.Milliseconds(Context.ConnectionId.Length > 0 ? Burnt : 0);
    }

    private sealed class Import(WorkMeter meter, Steps steps) : BackgroundService
    {
        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            using (meter.Measure("import"))
            {
                Burn.Milliseconds(Burnt);
                await steps.NextAsync();
                Burn.Milliseconds(Burnt);
            }

            await steps.NextAsync();
        }
    }

    private sealed class ListedRun(Row row) : Run
    {
        public Action OnDescribed { get; init; } = () => { };

        public override RunReading? Describe()
        {
            OnDescribed();
            return new(row);
        }
    }
}
