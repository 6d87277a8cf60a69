using Microsoft.AspNetCore.Routing;
using Microsoft.AspNetCore.Routing.Patterns;
using Microsoft.Extensions.Options;
using Microsoft.Extensions.Primitives;

namespace Picollo.AspNetCore.Tests.Requests;

public class RouteTableTests
{
    [Fact]
    public void In_a_full_table_further_routes_share_one_row()
    {
        RouteTable table = new(Options.Create(new PicolloOptions { Requests = { MaxRoutes = 2 } }), TimeProvider.System);
        RouteRow first = table.Get("GET", "/a");
        table.Get("GET", "/b");

        RouteRow third = table.Get("GET", "/c");

        third.Should().BeSameAs(table.Get("POST", "/d"));
        (third.Method, third.Route).Should().Be(("_OTHER", "(other)"));
        table.Get("GET", "/a").Should().BeSameAs(first);
        table.All.Select(usage => usage.Route).Should().Equal("(other)", "/a", "/b");
    }

    [Fact]
    public void A_reserved_row_does_not_count_toward_the_limit_of_the_others()
    {
        RowTable<string, object> table = new(3, "other", _ => new object(), () => 1);
        object[] rows = [table.Get("reserved", isReserved: true), table.Get("own")];
        table.IsFull.Should().BeFalse();
        rows = [.. rows, table.Get("shared"), table.Get("also reserved", isReserved: true)];

        rows.Should().OnlyHaveUniqueItems();
        (table.IsFull, table.Get("also shared")).Should().Be((true, rows[2]));
    }

    [Fact]
    public void A_route_with_the_name_of_the_shared_row_is_counted_in_it()
    {
        RouteTable table = new(Options.Create(new PicolloOptions { Requests = { MaxRoutes = 1 } }), TimeProvider.System);
        RouteRow own = table.Get("_OTHER", "(other)");

        table.Get("GET", "/a").Should().BeSameAs(own);
        table.All.Should().Equal(own);
    }

    [Fact]
    public void An_endpoint_keeps_its_row_in_a_full_table()
    {
        RouteTable table = new(Options.Create(new PicolloOptions { Requests = { MaxRoutes = 1 } }), TimeProvider.System);
        EndpointInfo endpoint = new(new RouteEndpoint(_ => Task.CompletedTask, RoutePatternFactory.Parse("/a"), 0, null, null));
        RouteRow own = endpoint.In("_OTHER", "").Get(table, false);

        endpoint.In("GET", "").Get(table, false).Route.Should().Be("(other)");
        endpoint.In("_OTHER", "").Get(table, false).Should().BeSameAs(own);
    }

    [Fact]
    public void A_quarter_of_the_rows_remains_for_other_requests_if_more_methods_are_declared_than_there_are_rows()
    {
        Endpoint[] declared = [.. Enumerable.Range(0, 9).Select(i => Declared($"/{i}"))];
        RouteTable table = new(
            Options.Create(new PicolloOptions { Requests = { MaxRoutes = 8 } }), TimeProvider.System, new DefaultEndpointDataSource(declared));
        foreach (string route in new[] { "(unhandled)", "/health", "/hub" })
        {
            table.Get("GET", route);
        }

        foreach (Endpoint endpoint in declared)
        {
            new EndpointInfo(endpoint).In("GET", "").Get(table, false);
        }

        table.All.Select(row => row.Route).Should().Equal(
            "(other)", "(unhandled)", "/0", "/1", "/2", "/3", "/4", "/5", "/health");
    }

    [Fact]
    public void Methods_of_endpoints_that_are_added_later_are_reserved()
    {
        ChangingEndpoints endpoints = new() { All = [Declared("/0")] };
        RouteTable table = new(Options.Create(new PicolloOptions { Requests = { MaxRoutes = 4 } }), TimeProvider.System, endpoints);
        table.Get("GET", "(unhandled)");
        endpoints.All = [Declared("/0"), Declared("/1"), Declared("/2")];
        table.Get("GET", "/health");

        foreach (Endpoint endpoint in endpoints.All)
        {
            new EndpointInfo(endpoint).In("GET", "").Get(table, false);
        }

        table.All.Select(row => row.Route).Should().Equal("(other)", "(unhandled)", "/0", "/1", "/2");
    }

    [Fact]
    public void Nothing_is_reserved_for_endpoints_that_are_not_in_the_table()
    {
        DefaultEndpointDataSource endpoints = new(Declared("/0"), Declared("/1", new DisableHttpMetricsAttribute()));
        RouteTable table = new(Options.Create(new PicolloOptions { Requests = { MaxRoutes = 2 } }), TimeProvider.System, endpoints);

        table.Get("GET", "(unhandled)").Route.Should().Be("(unhandled)");
    }

    [Fact]
    public void An_endpoint_has_a_row_in_each_branch()
    {
        RouteTable table = new(Options.Create(new PicolloOptions()), TimeProvider.System);
        EndpointInfo endpoint = new(new RouteEndpoint(_ => Task.CompletedTask, RoutePatternFactory.Parse("a"), 0, null, null));

        string RowIn(string prefix) => endpoint.In("GET", prefix).Get(table, false).Route;
        (RowIn(""), RowIn("/first"), RowIn("/second"), RowIn("")).Should().Be(("/a", "/first/a", "/second/a", "/a"));
    }

    private static RouteEndpoint Declared(string pattern, params object[] metadata) => new(
        _ => Task.CompletedTask, RoutePatternFactory.Parse(pattern), 0, new([new HttpMethodMetadata(["GET"]), .. metadata]), null);

    private sealed class ChangingEndpoints : EndpointDataSource
    {
        public IReadOnlyList<Endpoint> All { get; set; } = [];

        public override IReadOnlyList<Endpoint> Endpoints => All;

        public override IChangeToken GetChangeToken() => new CancellationChangeToken(CancellationToken.None);
    }
}
