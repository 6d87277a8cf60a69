using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that a feature that the application keeps after its request does not affect a request of another client.</summary>
public class KeptFeatureTests
{
    [Fact]
    public void Late_calls_affect_only_their_own_request()
    {
        ServiceProvider services = new ServiceCollection().AddLogging().AddPicollo().BuildServiceProvider();
        Action<HttpContext> handler = static _ => { };
        ApplicationBuilder app = new(services);
        app.UsePicollo();
        app.Run(context =>
        {
            handler(context);
            return Task.CompletedTask;
        });
        RequestDelegate pipeline = app.Build();
        CountingLifetime first = new(), second = new();
        IEndpointFeature endpoint = null!;
        IHttpRequestLifetimeFeature lifetime = null!;

        handler = context =>
        {
            endpoint = context.Features.Get<IEndpointFeature>()!;
            lifetime = context.Features.Get<IHttpRequestLifetimeFeature>()!;
            endpoint.Endpoint = EndpointOf("/first");
        };
        Run(pipeline, first);
        handler = context =>
        {
            context.SetEndpoint(EndpointOf("/second"));
            endpoint.Endpoint = EndpointOf("/late"); // as by a task that the first request has started
            lifetime.Abort();
        };
        Run(pipeline, second);

        (first.AbortCount, second.AbortCount).Should().Be((1, 0));
        services.GetRequiredService<RouteTable>().All.Select(row => (row.Route, row[ResponseClass.Success]))
            .Should().BeEquivalentTo([("/first", 1L), ("/second", 1L)]);
    }

    private static void Run(RequestDelegate pipeline, CountingLifetime lifetime)
    {
        DefaultHttpContext context = new();
        context.Features.Set<IHttpRequestLifetimeFeature>(lifetime);
        context.Request.Method = "GET";
        pipeline(context).IsCompletedSuccessfully.Should().BeTrue();
    }

    private static RouteEndpoint EndpointOf(string route) =>
        new(static _ => Task.CompletedTask, RoutePatternFactory.Parse(route), 0, EndpointMetadataCollection.Empty, route);

    private sealed class CountingLifetime : IHttpRequestLifetimeFeature
    {
        public int AbortCount { get; private set; }

        public CancellationToken RequestAborted { get; set; }

        public void Abort() => AbortCount++;
    }
}
