using Microsoft.Extensions.Options;
using Picollo.AspNetCore.Requests;

namespace Picollo.AspNetCore.Tests.Requests;

public class RouteTableTests
{
    [Fact]
    public void A_full_table_gives_the_rest_to_one_route()
    {
        RouteTable table = new(Options.Create(new PicolloOptions { MaxRoutes = 2 }));
        RouteUsage first = table.Get("GET", "/a");
        table.Get("GET", "/b");

        RouteUsage third = table.Get("GET", "/c");

        third.Should().BeSameAs(table.Get("POST", "/d"));
        (third.Method, third.Route).Should().Be(("_OTHER", "(other)"));
        table.Get("GET", "/a").Should().BeSameAs(first);
        table.All.Select(usage => usage.Route).Should().Equal("(other)", "/a", "/b");
    }
}
