using Yarp.ReverseProxy.Configuration;
using Yarp.ReverseProxy.Transforms;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests a reverse proxy (YARP) that measures the requests it forwards.</summary>
public class ProxyTests
{
    [Fact]
    [Trait("Category", "Slow")]
    public async Task Forwarded_requests_are_counted_for_the_route_of_the_proxy_with_the_status_of_the_response()
    {
        await using RequestApp backend = await RequestApp.StartAsync(web =>
        {
            web.MapGet("/items/{id}", (int id) => $"item {id}");
            web.MapPost("/items", () => Results.Created("/items/1", null));
        });
        await using RequestApp proxy = await RequestApp.StartAsync(
            web => web.MapReverseProxy(),
            build: builder => builder.Services.AddReverseProxy().LoadFromMemory(
                [
                    new RouteConfig { RouteId = "api", ClusterId = "backend", Match = new() { Path = "/api/{**rest}" } }
                        .WithTransformPathRemovePrefix("/api"),
                ],
                [
                    new ClusterConfig
                    {
                        ClusterId = "backend",
                        Destinations = new Dictionary<string, DestinationConfig> { ["one"] = new() { Address = backend.Address.AbsoluteUri } },
                    },
                ]));
        (await proxy.Client.GetStringAsync("/api/items/7")).Should().Be("item 7");
        (await proxy.Client.PostAsync("/api/items", null)).StatusCode.Should().Be(HttpStatusCode.Created);
        (await proxy.Client.GetAsync("/api/nothing")).StatusCode.Should().Be(HttpStatusCode.NotFound);
        (await proxy.Client.GetAsync("/elsewhere")).StatusCode.Should().Be(HttpStatusCode.NotFound);

        (await proxy.GetCountsAsync(4)).Should().Equal(("GET", "(unhandled)", 1), ("GET", "/api/{**rest}", 2), ("POST", "/api/{**rest}", 1));
        proxy.Routes.All.SelectMany(route => route.Durations, (route, duration) => (route.Method, route.Route, duration.Outcome?.Status)).Should()
            .BeEquivalentTo<(string, string, int?)>(
            [
                ("GET", "(unhandled)", 404), ("GET", "/api/{**rest}", 200), ("GET", "/api/{**rest}", 404), ("POST", "/api/{**rest}", 201),
            ]);
        (await backend.GetCountsAsync(3)).Should().Contain(("GET", "/items/{id}", 1));
    }
}
