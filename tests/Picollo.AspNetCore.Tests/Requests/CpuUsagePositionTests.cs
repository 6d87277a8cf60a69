using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Picollo.AspNetCore.Measuring;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests what <c>UsePicollo()</c> measures depending on its position, and what <see cref="PicolloRequestOptions.MeasureAll"/> adds.</summary>
public class CpuUsagePositionTests
{
    private const double BurntMilliseconds = 200;

    private static readonly Func<HttpContext, RequestDelegate, Task> BurnFirst = static (context, next) =>
    {
        Burn.Milliseconds(BurntMilliseconds);
        return next(context);
    };

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Earlier_middleware_is_measured_only_with_MeasureAll(bool all)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.Use(BurnFirst);
                web.UsePicollo();
                web.MapGet("/x", () => "x");
            },
            measureAll: all);
        await app.Client.GetStringAsync("/x");
        await app.Client.GetStringAsync("/x");

        (await app.GetCountsAsync(2)).Should().Equal(("GET", "/x", 2));

        // The minimum of two requests, because the first one includes compilation.
        double least = app.Routes.All.Single().HistogramOf(RunFact.CpuTime)!.GetPercentileValue(1) / 1e6;
        (least > BurntMilliseconds * 0.9).Should().Be(all, $"{least} ms were measured, {BurntMilliseconds} ms were used by earlier middleware");
    }

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Later_middleware_is_measured(bool all)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UsePicollo();
                web.Use(BurnFirst);
                web.MapGet("/x", () => "x");
            },
            options => options.Requests.AddServerTiming = true,
            measureAll: all);
        HttpResponseMessage response = await app.Client.GetAsync("/x");

        ServerTiming.Of(response).Cpu.Should().BeGreaterThanOrEqualTo(BurntMilliseconds);
        (await app.GetCountsAsync(1)).Should().Equal(("GET", "/x", 1));
        app.Routes.All.Single().HistogramOf(RunFact.CpuTime)!.GetPercentileValue(100).Should().BeGreaterThan((ulong)(BurntMilliseconds * 0.98 * 1e6));
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
        await app.Client.GetStringAsync("/short");
        await app.Client.GetAsync("/robots.txt");
        await app.Client.GetStringAsync("/early");
        HttpRequestMessage foreignHost = new(HttpMethod.Get, "/x") { Headers = { Host = "example.org" } };
        (await app.Client.SendAsync(foreignHost)).StatusCode.Should().Be(HttpStatusCode.BadRequest);
        await app.Client.GetStringAsync("/late");
        await app.Client.GetAsync("/missing");
        await app.Client.GetStringAsync("/x");

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
        (await app.Client.GetStringAsync("/other")).Should().Be("other");
        (await app.Client.GetStringAsync("/api/1")).Should().Be("1");
        (await app.Client.GetStringAsync("/map")).Should().Be("map");
        (await app.Client.GetStringAsync("/when/2?when")).Should().Be("2");
        (await app.Client.GetAsync("/when/2")).StatusCode.Should().Be(HttpStatusCode.NotFound);

        (await app.GetCountsAsync(3)).Should().Equal(("GET", "(no endpoint)", 1), ("GET", "/api/{id}", 1), ("GET", "/when/{id}", 1));
    }

    [Theory]
    [Trait("Category", "Slow")]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_outermost_of_nested_middlewares_counts_a_request(bool all)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                web.UsePicollo();
                web.Use(BurnFirst);
                web.UsePicollo();
                web.UseWhen(context => context.Request.Path == "/x", branch => branch.UsePicollo());
                web.Map("/map", branch => branch.UsePicollo().Run(context => context.Response.WriteAsync("map")));
                web.MapGet("/x", () => "x");
            },
            options => options.Requests.AddServerTiming = true,
            measureAll: all);
        HttpResponseMessage response = await app.Client.GetAsync("/x");
        await app.Client.GetStringAsync("/map");

        response.Headers.GetValues("Server-Timing").Should().ContainSingle();
        ServerTiming.Of(response).Cpu.Should().BeGreaterThanOrEqualTo(BurntMilliseconds);
        (await app.GetCountsAsync(2)).Should().Equal(("GET", "/map (no endpoint)", 1), ("GET", "/x", 1));
        app.Routes.All.Should().OnlyContain(route => route.HistogramOf(RunFact.CpuTime)!.GetPercentileValue(100) > BurntMilliseconds * 0.98 * 1e6);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_request_that_an_error_page_answers_is_counted_once_for_its_original_route(bool all, bool isInside)
    {
        await using RequestApp app = await RequestApp.StartAsync(
            web =>
            {
                if (!isInside)
                {
                    web.UsePicollo();
                }

                web.UseExceptionHandler("/error");
                web.UseStatusCodePagesWithReExecute("/status/{0}");
                if (isInside)
                {
                    web.UsePicollo();
                }

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
        (await Text("/fail")).Should().Be("error");
        (await Text("/fail-later")).Should().Be("error");
        (await Text("/broken")).Should().Be("error");
        (await Text("/none/1")).Should().Be("status 404");
        (await Text("/missing")).Should().Be("status 404");
        (await Text("/status/7")).Should().Be("status 7");

        (await app.GetCountsAsync(6)).Should().Equal(
            ("GET", "(no endpoint)", 1), ("GET", "(unhandled)", 1), ("GET", "/fail", 1), ("GET", "/fail-later", 1), ("GET", "/none/{id}", 1), ("GET", "/status/{code}", 1));

        async Task<string> Text(string path) => await (await app.Client.GetAsync(path)).Content.ReadAsStringAsync();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task UsePicollo_and_MeasureAll_work_in_a_host_with_a_startup_class(bool all)
    {
        using IHost host = new HostBuilder()
            .ConfigureWebHost(web => web
                .UseKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0))
                .ConfigureServices(services => services.AddPicollo(options => options.Requests.MeasureAll = all))
                .UseStartup<Startup>())
            .Build();
        await host.StartAsync();
        string address = host.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single();
        using HttpClient client = new() { BaseAddress = new Uri(address) };
        await client.GetStringAsync("/early");
        await client.GetStringAsync("/items/1");
        await client.GetStringAsync("/short");
        await host.StopAsync();

        host.Services.GetRequiredService<RouteTable>().All.Select(usage => (usage.Route, usage.HistogramOf(RunFact.CpuTime)!.TotalCount)).Should().Equal(
            all ? [("(no endpoint)", 1UL), ("/items/{id}", 1UL), ("/short", 1UL)] : [("/items/{id}", 1UL), ("/short", 1UL)]);
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
        await app.Client.GetStringAsync("/a");
        await app.GetCountsAsync(1);
        await app.Client.GetStringAsync("/b");

        await app.GetCountsAsync(2);
        await app.Client.GetStringAsync("/b");

        (await app.GetCountsAsync(3)).Should().Equal(("_OTHER", "(other)", 2), ("GET", "/a", 1));
        await app.StopAsync();
        app.Log.Of("Picollo.AspNetCore.CpuUsage").Where(line => line.Event.Name == "OverCpuBudget").Select(line => line.Values["Route"])
            .Should().Equal("/a", "/b", "/b");
        app.Log.Of("Picollo.AspNetCore.CpuUsage").Where(line => line.Event.Name == "RouteTableFull").Should().ContainSingle()
            .Which.Values["MaxRoutes"].Should().Be(1);
    }

    private sealed class Startup
    {
        public static void ConfigureServices(IServiceCollection services) => services.AddRouting().AddPicollo();

        public static void Configure(IApplicationBuilder app) => app
            .Use((HttpContext context, RequestDelegate next) =>
                context.Request.Path == "/early" ? context.Response.WriteAsync("early") : next(context))
            .UsePicollo()
            .UseRouting()
            .UseEndpoints(routes =>
            {
                routes.MapGet("/items/{id}", (string id) => id);
                routes.MapGet("/short", () => "short").ShortCircuit();
            });
    }
}
