using System.Security.Claims;
using System.Text.Encodings.Web;
using Microsoft.AspNetCore.Authentication;
using Microsoft.AspNetCore.DataProtection;
using Microsoft.AspNetCore.HttpOverrides;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.Options;

namespace Picollo.AspNetCore.Tests.Page;

public class PageAccessTests
{
    private static readonly string[] Paths =
        ["/picollo", "/picollo/", "/picollo/events", "/picollo/json", "/picollo/metrics", "/picollo/mark?show=x", "/picollo/diff?show=x"];

    [Theory]
    [InlineData(PageServer.RemoteAddress, "192.0.2.1")]
    [InlineData(PageServer.RemoteAddress, "none")]
    [InlineData("Forwarded", "for=192.0.2.1")]
    [InlineData("Host", "rebound.example.com")]
    [InlineData("Origin", "http://example.com")]
    public async Task Requests_from_other_machines_get_404_as_a_page_that_does_not_exist(string header, string value)
    {
        await using PageServer server = await PageServer.StartAsync();
        foreach (string path in Paths)
        {
            foreach (HttpMethod method in new[] { HttpMethod.Get, HttpMethod.Head, HttpMethod.Post, HttpMethod.Options, HttpMethod.Delete })
            {
                using HttpRequestMessage request = new(method, path);
                request.Headers.TryAddWithoutValidation(header, value);
                using HttpResponseMessage response = await server.Client.SendAsync(request);
                using HttpResponseMessage nothing = await server.Client.SendAsync(new HttpRequestMessage(method, "/nothing"));

                response.StatusCode.Should().Be(HttpStatusCode.NotFound);
                Described(response).Should().Equal(Described(nothing));
                (await response.Content.ReadAsStringAsync()).Should().BeEmpty();
            }
        }
    }

    [Fact]
    public async Task Without_authorization_the_page_does_not_exist_outside_Development()
    {
        // A request through a TCP relay on this machine, such as ssh -R, looks like this local request, because the relay adds nothing.
        await using PageServer server = await PageServer.StartAsync(environment: "Production");
        foreach (string path in Paths)
        {
            (await server.Client.GetAsync(path)).StatusCode.Should().Be(HttpStatusCode.NotFound);
            (await server.Client.PostAsync(path, null)).StatusCode.Should().Be(HttpStatusCode.NotFound);
        }
    }

    [Theory]
    [InlineData("Production", 1)]
    [InlineData("Staging", 1)]
    [InlineData("Development", 0)]
    public async Task A_warning_at_startup_reports_that_the_page_is_closed(string environment, int lines)
    {
        await using PageServer server = await PageServer.StartAsync(environment: environment);

        server.Log.Lines.Where(line => !line.StartsWith("Information PageAddress: ", StringComparison.Ordinal)).Should()
            .HaveCount(lines).And.NotContain(line => !line.StartsWith("Warning PageClosed: ")
                || !line.Contains(environment) || !line.Contains("MapPicollo().RequireAuthorization()") || !line.Contains("AllowAnonymous()"));
    }

    [Fact]
    public async Task A_refused_request_is_logged_once_without_its_path()
    {
        await using PageServer server = await PageServer.StartAsync();
        for (int i = 0; i < 5; i++)
        {
            using HttpRequestMessage request = new(HttpMethod.Get, $"/picollo?secret={i}");
            request.Headers.Add("X-Forwarded-For", "192.0.2.1");
            (await server.Client.SendAsync(request)).StatusCode.Should().Be(HttpStatusCode.NotFound);
        }

        server.Log.Lines.Should().ContainSingle(line => line.StartsWith("Warning PageRefused: "))
            .Which.Should().Contain("it came through a proxy").And.Contain("RequireAuthorization()").And.NotContain("secret").And.NotContain("192");
    }

    [Theory]
    [InlineData("Development", 2)]
    [InlineData("Production", 2)]
    public async Task A_logger_that_throws_does_not_change_the_answer(string environment, int expectedLines)
    {
        int lines = 0;
        await using PageServer server = await PageServer.StartAsync(environment: environment, build: builder => builder.Logging.AddProvider(new LogSink
        {
            OnLine = line =>
            {
                if (line.Category == "Picollo.AspNetCore.Page")
                {
                    lines++;
                    throw new InvalidOperationException("from a logger");
                }
            },
        }));
        using HttpRequestMessage request = new(HttpMethod.Get, "/picollo");
        request.Headers.Add(PageServer.RemoteAddress, "192.0.2.1");

        (await server.Client.SendAsync(request)).StatusCode.Should().Be(HttpStatusCode.NotFound);
        lines.Should().Be(expectedLines);
    }

    [Fact]
    public async Task A_forged_client_address_is_rejected_even_if_the_application_trusts_it()
    {
        await using PageServer server = await PageServer.StartAsync(application =>
        {
            ForwardedHeadersOptions trusting = new() { ForwardedHeaders = ForwardedHeaders.XForwardedFor };
            trusting.KnownProxies.Clear();
            trusting.KnownIPNetworks.Clear();
            application.UseForwardedHeaders(trusting);
            application.MapGet("/address", (HttpContext context) => context.Connection.RemoteIpAddress!.ToString());
            application.MapPicollo();
        });
        foreach ((string path, HttpStatusCode status) in new[] { ("/address", HttpStatusCode.OK), ("/picollo", HttpStatusCode.NotFound) })
        {
            using HttpRequestMessage request = new(HttpMethod.Get, path);
            request.Headers.Add(PageServer.RemoteAddress, "192.0.2.1");
            request.Headers.Add("X-Forwarded-For", "127.0.0.1");
            using HttpResponseMessage response = await server.Client.SendAsync(request);
            response.StatusCode.Should().Be(status);
            (await response.Content.ReadAsStringAsync()).Should().Be(status == HttpStatusCode.OK ? "127.0.0.1" : "");
        }
    }

    [Fact]
    public async Task AllowAnonymous_opens_all_endpoints_to_all_clients()
    {
        await using PageServer server = await PageServer.StartAsync(
            application => application.MapPicollo("/a/b").AllowAnonymous(), environment: "Production");
        foreach (string path in new[] { "", "/json", "/events", "/diff" })
        {
            using HttpRequestMessage request = new(path == "/diff" ? HttpMethod.Get : HttpMethod.Head, "/a/b" + path);
            request.Headers.Add(PageServer.RemoteAddress, "192.0.2.1");
            request.Headers.Add("X-Forwarded-For", "192.0.2.1");
            request.Headers.Host = "example.com";
            using HttpResponseMessage response = await server.Client.SendAsync(request);
            response.StatusCode.Should().Be(path == "/diff" ? HttpStatusCode.MethodNotAllowed : HttpStatusCode.OK);
        }

        server.Log.Lines.Should().BeEmpty();
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task RequireAuthorization_opens_the_page_to_authorized_users(bool onGroup)
    {
        await using PageServer server = await StartWithUsersAsync(
            application => _ = onGroup
                ? application.MapGroup("").RequireAuthorization().MapPicollo()
                : application.MapPicollo().RequireAuthorization(),
            environment: "Production");
        server.Log.Lines.Should().BeEmpty();
        foreach (string path in new[] { "/picollo", "/picollo/json", "/picollo/mark?show=x", "/picollo/events" })
        {
            // Local requests require authorization, too.
            (await server.Client.GetAsync(path)).StatusCode.Should().Be(HttpStatusCode.Unauthorized);
            (await server.Client.SendAsync(OfAlice(HttpMethod.Head, path))).StatusCode
                .Should().Be(path.Contains("mark", StringComparison.Ordinal) ? HttpStatusCode.NotFound : HttpStatusCode.OK);
        }
    }

    [Fact]
    public async Task A_fallback_policy_does_not_open_the_page()
    {
        await using PageServer server = await StartWithUsersAsync(
            application => application.MapPicollo(),
            services => services.AddAuthorizationBuilder().AddFallbackPolicy("all", policy => policy.RequireAuthenticatedUser()));

        (await server.Client.SendAsync(OfAlice(HttpMethod.Get, "/picollo"))).StatusCode.Should().Be(HttpStatusCode.NotFound);
    }

    [Theory]
    [InlineData("192.0.2.1:9464", 8080, HttpStatusCode.NotFound)]
    [InlineData("192.0.2.1", 8080, HttpStatusCode.NotFound)]
    [InlineData("192.0.2.1:9464", 9464, HttpStatusCode.OK)]
    [InlineData("192.0.2.1:80", 9464, HttpStatusCode.OK)]
    public async Task A_page_with_its_own_port_exists_only_on_that_port_for_any_Host(string host, int localPort, HttpStatusCode status)
    {
        await using PageServer server = await PageServer.StartAsync(
            application =>
            {
                UseLocalPort(application, localPort);
                application.MapPicollo().RequireLocalPort(9464).AllowAnonymous();
            },
            environment: "Production");
        foreach (HttpMethod method in new[] { HttpMethod.Get, HttpMethod.Post })
        {
            using HttpRequestMessage request = new(method, "/picollo/json");
            request.Headers.Host = host;
            using HttpResponseMessage response = await server.Client.SendAsync(request);
            response.StatusCode.Should().Be(
                status == HttpStatusCode.OK && method == HttpMethod.Post ? HttpStatusCode.MethodNotAllowed : status);
        }
    }

    [Fact]
    public void RequireLocalPort_checks_its_arguments_and_reports_missing_services()
    {
        WebApplication bare = WebApplication.CreateSlimBuilder().Build();
        RouteHandlerBuilder endpoint = bare.MapGet("/x", () => "x");
        foreach (int port in new[] { -1, 0, 65_536 })
        {
            endpoint.Invoking(one => one.RequireLocalPort(port)).Should().Throw<ArgumentOutOfRangeException>();
        }

        endpoint.RequireLocalPort(9464);
        ((IEndpointRouteBuilder)bare).DataSources.Single().Invoking(source => source.Endpoints)
            .Should().Throw<InvalidOperationException>("without its services, every port would answer").WithMessage("*AddPicollo()*");
    }

    [Theory]
    [InlineData(8080, "any port")]
    [InlineData(9464, "this port only")]
    public async Task A_route_on_another_port_does_not_hide_other_routes_with_its_path(int localPort, string expected)
    {
        await using PageServer server = await PageServer.StartAsync(application =>
        {
            UseLocalPort(application, localPort);
            application.MapGroup("/group").RequireLocalPort(9464).MapGet("/x", () => "this port only");
            application.MapGet("/group/{any}", () => "any port");
            application.MapPut("/group/x", () => "any port");
        });
        using HttpResponseMessage shared = await server.Client.PutAsync("/group/x", null);

        (await server.Client.GetStringAsync("/group/x")).Should().Be(expected);
        (await shared.Content.ReadAsStringAsync()).Should().Be("any port");
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_route_on_another_port_answers_no_method(bool hasDynamicEndpoints)
    {
        await using PageServer server = await PageServer.StartAsync(application =>
        {
            application.MapGet("/x", () => "this port only").RequireLocalPort(9464);
            application.MapGet("/y", () => "this port only").RequireLocalPort(9464);
            application.MapPut("/y", () => "any port");
            if (hasDynamicEndpoints)
            {
                application.MapGet("/{x}", () => "dynamic").WithMetadata(new Dynamic());
            }
        });

        foreach (string method in new[] { "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "BREW" })
        {
            using HttpRequestMessage request = new(new HttpMethod(method), "/x");
            using HttpResponseMessage response = await server.Client.SendAsync(request);
            using HttpRequestMessage unknown = new(new HttpMethod(method), hasDynamicEndpoints ? "/unknown" : "/unknown/path");
            using HttpResponseMessage expected = await server.Client.SendAsync(unknown);
            Described(response).Should().Equal(Described(expected), method);
            (await response.Content.ReadAsStringAsync()).Should().Be(await expected.Content.ReadAsStringAsync(), method);
            response.StatusCode.Should().Be(expected.StatusCode, method);
        }

        using HttpResponseMessage shared = await server.Client.DeleteAsync("/y");
        shared.StatusCode.Should().Be(HttpStatusCode.MethodNotAllowed);
        shared.Content.Headers.Allow.Should().Equal(hasDynamicEndpoints ? ["GET", "PUT"] : ["PUT"]);
    }

    private static void UseLocalPort(WebApplication application, int port)
    {
        application.Use((context, next) =>
        {
            context.Connection.LocalPort = port;
            return next(context);
        });
        application.UseRouting();
    }

    private static Task<PageServer> StartWithUsersAsync(
        Action<WebApplication> map, Action<IServiceCollection>? add = null, string environment = "Development") => PageServer.StartAsync(
        application =>
        {
            application.UseAuthentication();
            application.UseAuthorization();
            map(application);
        },
        build: builder =>
        {
            builder.Services.AddDataProtection().UseEphemeralDataProtectionProvider(); // leaves no keys in the home folder
            builder.Services.AddAuthentication("test").AddScheme<AuthenticationSchemeOptions, ByHeader>("test", null);
            builder.Services.AddAuthorization();
            add?.Invoke(builder.Services);
        },
        environment: environment);

    private static HttpRequestMessage OfAlice(HttpMethod method, string path) =>
        new(method, path) { Headers = { { PageServer.RemoteAddress, "192.0.2.1" }, { "User", "alice" } } };

    private static IEnumerable<string> Described(HttpResponseMessage response) => response.Headers.Concat(response.Content.Headers)
        .Where(header => header.Key != "Date")
        .Select(header => $"{header.Key}: {string.Join(',', header.Value)}")
        .Order();

    private sealed class Dynamic : IDynamicEndpointMetadata
    {
        public bool IsDynamic => true;
    }

    private sealed class ByHeader(IOptionsMonitor<AuthenticationSchemeOptions> options, ILoggerFactory logger, UrlEncoder encoder)
        : AuthenticationHandler<AuthenticationSchemeOptions>(options, logger, encoder)
    {
        protected override Task<AuthenticateResult> HandleAuthenticateAsync() => Task.FromResult(
            Request.Headers.TryGetValue("User", out var name)
                ? AuthenticateResult.Success(new(new ClaimsPrincipal(new ClaimsIdentity([new Claim("name", name!)], "test")), "test"))
                : AuthenticateResult.NoResult());
    }
}
