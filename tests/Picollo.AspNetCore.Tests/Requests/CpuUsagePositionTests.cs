using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Routing;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests what <c>UsePicollo()</c> measures depending on its position, and what <see cref="PicolloRequestOptions.MeasureAll"/> adds.</summary>
public class CpuUsagePositionTests
{
    private const double Earlier = 200; // milliseconds
    private const double Later = 100;

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_outermost_middleware_counts_a_request_with_its_later_middleware_and_with_MeasureAll_also_the_earlier_one(bool all)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.Use(Burning(Earlier));
                web.UsePicollo();
                web.Use(Burning(Later));
                web.UsePicollo();
                web.UseWhen(context => context.Request.Path == "/x", branch => branch.UsePicollo());
                web.Map("/map", branch => branch.UsePicollo().Run(context => context.Response.WriteAsync("map")));
                web.MapGet("/x", () => "x");
            },
            options => options.Requests.AddServerTiming = true,
            measureAll: all);
        await app.Client.GetAsync("/x"); // includes compilation
        HttpResponseMessage response = await app.Client.GetAsync("/x");
        await app.Client.GetStringAsync("/map");

        response.Headers.GetValues("Server-Timing").Should().ContainSingle();
        ServerTiming.Of(response).Cpu.Should().BeGreaterThanOrEqualTo(all ? Earlier + Later : Later);
        (await app.GetCountsAsync(3)).Should().Equal(("GET", "/map (no endpoint)", 1), ("GET", "/x", 2));
        double least = app.Routes.All.Single(route => route.Route == "/x").HistogramOf(RunFact.CpuTime)!.GetPercentileValue(1) / 1e6;
        least.Should().BeGreaterThanOrEqualTo(Later * 0.98);
        (least > Earlier * 0.98).Should().Be(all, $"{least} ms were measured");

        static Func<HttpContext, RequestDelegate, Task> Burning(double milliseconds) => (context, next) =>
        {
            Burn.Milliseconds(milliseconds);
            return next(context);
        };
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Requests_answered_by_earlier_middleware_are_counted_only_with_MeasureAll(bool all)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.MapGet("/short", () => "short").ShortCircuit();
                web.MapShortCircuit(404, "robots.txt");
                web.Use((context, next) => context.Request.Path == "/early" ? context.Response.WriteAsync("early") : next(context));
                web.UsePicollo();
                web.Use((context, next) => context.Request.Path == "/late" ? context.Response.WriteAsync("late") : next(context));
                web.MapGet("/x", () => "x");
            },
            build: builder => builder.WebHost.UseSetting("AllowedHosts", "127.0.0.1"),
            measureAll: all);
        HttpRequestMessage foreignHost = new(HttpMethod.Get, "/x") { Headers = { Host = "example.org" } };
        (await app.Client.SendAsync(foreignHost)).StatusCode.Should().Be(HttpStatusCode.BadRequest);
        await app.SendAsync("/short", "/robots.txt", "/early", "/late", "/missing", "/x");

        (string, string, ulong)[] ofAll =
            [("GET", "(no endpoint)", 3), ("GET", "(unhandled)", 1), ("GET", "/robots.txt/{**catchall}", 1), ("GET", "/short", 1), ("GET", "/x", 1)];
        (await app.GetCountsAsync(all ? 7 : 3)).Should().Equal(all ? ofAll : [("GET", "(no endpoint)", 1), ("GET", "(unhandled)", 1), ("GET", "/x", 1)]);
    }

    [Fact]
    public async Task In_a_branch_only_the_branch_is_measured()
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UseWhen(context => context.Request.Path.StartsWithSegments("/api"), branch => branch.UsePicollo());
                web.Map("/map", branch => branch.UsePicollo().Run(context => context.Response.WriteAsync("map")));
                web.MapWhen(
                    context => context.Request.Query.ContainsKey("when"),
                    branch => branch.UsePicollo().UseRouting().UseEndpoints(routes => routes.MapGet("/when/{id}", (string id) => id)));
                web.MapGet("/api/{id}", (string id) => id);
                web.MapGet("/other", () => "other");
            },
            measureAll: false);
        (await app.SendAsync("/other", "/api/1", "/map", "/when/2?when", "/when/2")).Should().Equal(200, 200, 200, 200, 404);

        (await app.GetCountsAsync(3)).Should().Equal(("GET", "(no endpoint)", 1), ("GET", "/api/{id}", 1), ("GET", "/when/{id}", 1));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, true)]
    public async Task A_request_that_an_error_page_answers_is_counted_once_for_its_original_route(bool all, bool isInside)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                _ = isInside ? web : web.UsePicollo();
                web.UseExceptionHandler("/error");
                web.UseStatusCodePagesWithReExecute("/status/{0}");
                _ = isInside ? web.UsePicollo() : web;
                web.Use((context, next) =>
                    context.Request.Path == "/broken" ? throw new InvalidOperationException("broken") : next(context));
                web.Map("/error", () => "error");
                web.Map("/status/{code}", (int code) => $"status {code}");
                web.MapGet("/fail", string () => throw new InvalidOperationException("fail"));
                web.MapGet("/fail-later", async Task<string> () =>
                {
                    await Task.Yield();
                    throw new InvalidOperationException("fail later");
                });
                web.MapGet("/none/{id}", (string id) => Results.NotFound());
            },
            measureAll: all);

        (await app.CountsAfterAsync("/fail", "/fail-later", "/broken", "/none/1", "/missing", "/status/7")).Should().Equal(
            ("GET", "(no endpoint)", 1), ("GET", "(unhandled)", 1), ("GET", "/fail", 1), ("GET", "/fail-later", 1),
            ("GET", "/none/{id}", 1), ("GET", "/status/{code}", 1));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_budget_and_the_limit_of_routes_apply_with_UsePicollo_and_MeasureAll(bool all)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UsePicollo();
                web.MapGet("/a", () => "a");
                web.MapGet("/b", () => "b");
            },
            options =>
            {
                options.Requests.MaxRoutes = 1;
                options.Requests.CpuBudget = TimeSpan.FromTicks(1);
            },
            measureAll: all);
        await app.CountsAfterAsync("/a");
        await app.SendAsync("/b");
        await app.GetCountsAsync(2);
        await app.SendAsync("/b");

        (await app.GetCountsAsync(3)).Should().Equal(("_OTHER", "(other)", 2), ("GET", "/a", 1));
        await app.StopAsync();
        app.Log.Of("Picollo.AspNetCore.CpuUsage").Where(line => line.Event.Name == "OverCpuBudget").Select(line => line.Values["Route"])
            .Should().Equal("/a", "/b", "/b");
        app.Log.Of("Picollo.AspNetCore.CpuUsage").Where(line => line.Event.Name == "RouteTableFull").Should().ContainSingle()
            .Which.Values["MaxRoutes"].Should().Be(1);
    }
}
