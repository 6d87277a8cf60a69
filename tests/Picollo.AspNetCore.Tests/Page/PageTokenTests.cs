using System.Diagnostics;
using System.Text.RegularExpressions;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http.Extensions;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.HttpLogging;

namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Tests the token, with clients whose user the server cannot find, as on systems other than Linux.</summary>
public class PageTokenTests
{
    private const string Token = "token-of-a-test-0123";
    private const string Html = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    private const string Unknown = PageServer.UnknownUser + ": 1\r\n";
    private const string Form = "Content-Type: application/x-www-form-urlencoded\r\n";

    [Theory]
    [MemberData(nameof(StrangerTests.Requests), MemberType = typeof(StrangerTests))]
    public async Task A_client_whose_user_is_unknown_needs_the_token(string method, string path)
    {
        await using PageServer server = await StartAsync();
        (string Header, bool IsRight)[] headers =
        [
            ("", false),
            ("Authorization: Bearer\r\n", false),
            ("Authorization: Bearer \r\n", false),
            ($"Authorization: Bearer {Token}x\r\n", false),
            ($"Authorization: Bearer {Token[..^1]}\r\n", false),
            ($"Authorization: Bearer {Token.ToUpperInvariant()}\r\n", false),
            ($"Authorization: Basic {Token}\r\n", false),
            ($"Cookie: picollo-{server.Address.Port + 1}={Token}\r\n", false),
            ($"Cookie: picollo-{server.Address.Port}=\r\n", false),
            ($"Authorization: Bearer {Token}\r\n", true),
            ($"Authorization: bearer {Token}\r\n", true),
            ($"Cookie: other=1; picollo-{server.Address.Port}={Token}\r\n", true),
        ];
        foreach ((string header, bool isRight) in headers)
        {
            string response = RawRequest.Send(server.Address, method, path, headers: Unknown + header);
            if (isRight)
            {
                response.Should().StartWith(StrangerTests.StatusWithAccess(method, path));
            }
            else
            {
                StrangerTests.CheckRefusal(response, method);
            }
        }
    }

    [Fact]
    public async Task The_token_does_not_replace_the_other_conditions()
    {
        await using PageServer server = await StartAsync();
        foreach (string header in new[] { "X-Forwarded-For: 127.0.0.1\r\n", "Origin: http://example.com\r\n", $"{PageServer.RemoteAddress}: 192.0.2.1\r\n" })
        {
            RawRequest.Send(server.Address, "GET", "/picollo", headers: $"{Unknown}{header}Authorization: Bearer {Token}\r\n").Should().StartWith("HTTP/1.1 404 ");
            RawRequest.Send(server.Address, "POST", "/picollo", headers: Unknown + header + Form, body: $"token={Token}").Should().StartWith("HTTP/1.1 404 ");
        }
    }

    [Theory]
    [InlineData("/picollo", "./picollo", "/picollo")]
    [InlineData("/picollo/", "./.", "/picollo")]
    [InlineData("/picollo?show=x&window=1m", "./picollo?show=x&window=1m", "/picollo")]
    [InlineData("/picollo/json", "./json", "/picollo")]
    [InlineData("/base/picollo/metrics", "./metrics", "/base/picollo")]
    public async Task The_form_with_the_token_sets_a_cookie_and_redirects_to_the_same_address(string path, string location, string cookiePath)
    {
        await using PageServer server = await StartAsync();
        string asked = RawRequest.Send(server.Address, "GET", path, headers: Unknown, accept: Html);
        asked.Should().StartWith("HTTP/1.1 401 ").And.Contain($"<form method=\"post\" action=\"{WebUtility.HtmlEncode(location)}\">").And.Contain(" name=\"token\"");

        string accepted = RawRequest.Send(server.Address, "POST", path, headers: Unknown + Form, accept: Html, body: $"token={Token}");

        accepted.Should().StartWith("HTTP/1.1 303 ").And.Contain($"\r\nLocation: {location}\r\n");
        string cookie = Regex.Match(accepted, "\r\nSet-Cookie: (.*)\r\n").Groups[1].Value;
        cookie.Split("; ").Should().BeEquivalentTo(
            $"picollo-{server.Address.Port}={Token}", $"path={cookiePath}", "samesite=strict", "httponly");
        RawRequest.Send(server.Address, "GET", path, headers: $"{Unknown}Cookie: {cookie.Split(';')[0]}\r\n", accept: Html).Should().StartWith("HTTP/1.1 200 ");
    }

    [Fact]
    public async Task A_form_that_a_middleware_has_read_and_a_path_that_it_has_changed_are_accepted()
    {
        await using PageServer server = await PageServer.StartAsync(
            web =>
            {
                web.UseRouting();
                web.Use(async (context, next) =>
                {
                    await context.Request.ReadFormAsync();
                    context.Request.Path = "/x";
                    await next(context);
                });
                web.MapPicollo();
            },
            options => options.PageToken = Token);

        foreach ((string token, string status) in new[] { (Token, "303"), ("wrong", "401") })
        {
            RawRequest.Send(server.Address, "POST", "/picollo/json", headers: Unknown + Form, body: $"token={token}").Should().StartWith($"HTTP/1.1 {status} ");
        }
    }

    [Fact]
    public async Task Any_other_form_gets_401()
    {
        await using PageServer server = await StartAsync();
        foreach ((string type, string body) in new[]
        {
            (Form, "token=wrong"), (Form, ""), (Form, "other=1&token="), (Form, $"token={Token}&token={Token}"),
            (Form, "a&b&c&d&token=" + Token), (Form, "token=" + new string('a', 100_000)),
            ("Content-Type: text/plain\r\n", "token=" + Token), ("", "token=" + Token),
        })
        {
            StrangerTests.CheckRefusal(RawRequest.Send(server.Address, "POST", "/picollo", headers: Unknown + type, body: body), "POST");
        }
    }

    [FactNeeding(Need.Linux)]
    public async Task The_token_is_random_unless_it_is_set_and_its_address_is_logged_at_startup()
    {
        List<string> tokens = [];
        for (int i = 0; i < 3; i++)
        {
            await using PageServer server = await PageServer.StartAsync();
            string line = server.Log.Lines.Should().ContainSingle().Subject;
            Match match = Regex.Match(line, $"^Information PageAddress: Picollo's page: {Regex.Escape(server.Address.AbsoluteUri)}picollo#token=([0-9a-f]{{32}})$");
            match.Success.Should().BeTrue(line);
            tokens.Add(match.Groups[1].Value);
            RawRequest.Send(server.Address, "GET", "/picollo", headers: $"{Unknown}Authorization: Bearer {tokens[^1]}\r\n").Should().StartWith("HTTP/1.1 200 ");
        }

        tokens.Should().OnlyHaveUniqueItems();
        await using PageServer configured = await StartAsync();
        configured.Log.Lines.Should().ContainSingle().Which.Should().EndWith($"/picollo#token={Token}");
    }

    [Theory]
    [InlineData("http://127.0.0.1:5000", "http://127.0.0.1:5000/picollo")]
    [InlineData("https://localhost:5001", "https://localhost:5001/picollo"), InlineData("http://[::1]:5000", "http://[::1]:5000/picollo")]
    [InlineData("http://0.0.0.0:8080", "http://localhost:8080/picollo"), InlineData("http://[::]:8080", "http://localhost:8080/picollo")]
    [InlineData("http://*:8080", "http://localhost:8080/picollo")]
    [InlineData("http://unix:/run/app.sock http://10.0.0.1:80 http://localhost:5000", "http://localhost:5000/picollo")]
    [InlineData("http://unix:/run/app.sock http://10.0.0.1:80", null)]
    [InlineData("http://localhost:5000 http://localhost:9464", "http://localhost:9464/picollo", 9464)]
    [InlineData("http://localhost:5300 http://localhost:9464", "http://localhost:5300/picollo http://localhost:9464/picollo")]
    [InlineData("", null)]
    public async Task The_logged_address_is_one_that_a_browser_on_this_machine_can_open(string addresses, string? expected, int? port = null)
    {
        LogSink log = new();
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder(new WebApplicationOptions { EnvironmentName = "Development" });
        builder.Logging.ClearProviders().AddProvider(log);
        builder.Services.AddPicollo();
        builder.Services.AddSingleton<IServer>(new NoServer(addresses.Split(' ', StringSplitOptions.RemoveEmptyEntries)));
        await using WebApplication application = builder.Build();
        IEndpointConventionBuilder page = application.MapPicollo();
        _ = port is { } number ? page.RequireLocalPort(number) : page;

        await application.StartAsync();

        log.Lines.Select(line => line.Split('#')[0]).Should()
            .Equal((expected?.Split(' ') ?? []).Select(address => $"Information PageAddress: Picollo's page: {address}"));
    }

    [Fact]
    public async Task The_token_is_not_in_logs_of_requests_spans_or_responses()
    {
        LogSink log = new();
        ConcurrentQueue<string> logged = [];
        log.OnLine = line => logged.Enqueue($"{line.Category} {line.Text} {string.Join(' ', line.Values)}");
        ConcurrentQueue<string> spans = [];
        using ActivityListener listener = new()
        {
            ShouldListenTo = _ => true,
            Sample = (ref _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = span => spans.Enqueue($"{span.DisplayName} {string.Join(' ', span.TagObjects)}"),
        };
        ActivitySource.AddActivityListener(listener);
        await using PageServer server = await PageServer.StartAsync(
            application =>
            {
                // Tracers record the address of each request.
                application.Use((context, next) =>
                {
                    spans.Enqueue($"{context.Request.GetEncodedUrl()} {context.Features.Get<IHttpRequestFeature>()!.RawTarget}");
                    return next(context);
                });
                application.UseHttpLogging();
                application.UsePicollo();
                application.MapPicollo();
            },
            options =>
            {
                options.PageToken = Token;
                options.Requests.CollectExemplars = options.Requests.ShowPaths = options.Requests.MeasureAll = true;
                options.Meters.AddMeter("*");
            },
            builder =>
            {
                builder.Logging.SetMinimumLevel(LogLevel.Trace).AddProvider(log);
                builder.Services.AddHttpLogging(options => options.LoggingFields = HttpLoggingFields.All);
            });
        int start = logged.Count;
        logged.Should().ContainSingle(line => line.Contains(Token), "the address is logged at startup");

        RawRequest.Send(server.Address, "GET", "/picollo", headers: Unknown, accept: Html).Should().StartWith("HTTP/1.1 401 ");
        RawRequest.Send(server.Address, "POST", "/picollo", headers: Unknown + Form, accept: Html, body: $"token={Token}").Should().StartWith("HTTP/1.1 303 ");
        List<string> responses = [];
        foreach (string path in new[] { "/picollo", "/picollo/json", "/picollo/metrics", "/picollo/events" })
        {
            foreach (string header in new[] { $"Cookie: picollo-{server.Address.Port}={Token}\r\n", $"Authorization: Bearer {Token}\r\n" })
            {
                responses.Add(RawRequest.Send(server.Address, "GET", path, headers: Unknown + header));
                responses[^1].Should().StartWith("HTTP/1.1 200 ");
            }
        }

        await Eventually.IsTrueAsync(() =>
            logged.Any(line => line.Contains("Request finished") && line.Contains("/picollo/metrics")) && !spans.IsEmpty);

        logged.Skip(start).Should().Contain(line => line.Contains("Request starting HTTP/1.1 POST")).And.NotContain(line => line.Contains(Token));
        spans.Should().Contain(span => span.Contains("/picollo")).And.Contain(span => span.Contains("HttpRequestIn")).And.NotContain(span => span.Contains(Token));
        responses.Should().NotContain(response => response.Contains(Token));
    }

    [FactNeeding(Need.Linux)]
    public async Task The_user_of_a_client_is_found_with_HTTP_2()
    {
        await using PageServer server = await PageServer.StartAsync(build: builder => builder.WebHost.ConfigureKestrel(
            kestrel => kestrel.ConfigureEndpointDefaults(listen => listen.Protocols = Microsoft.AspNetCore.Server.Kestrel.Core.HttpProtocols.Http2)));
        foreach ((string header, HttpStatusCode status) in new[] { ("X", HttpStatusCode.OK), (PageServer.UnknownUser, HttpStatusCode.Unauthorized) })
        {
            using HttpRequestMessage request = new(HttpMethod.Get, "/picollo/json")
            {
                Version = HttpVersion.Version20,
                VersionPolicy = HttpVersionPolicy.RequestVersionExact,
            };
            request.Headers.Add(header, "1");
            using HttpClient client = server.CreateClient();
            using HttpResponseMessage response = await client.SendAsync(request);
            (response.Version, response.StatusCode).Should().Be((HttpVersion.Version20, status));
        }
    }

    [Theory]
    [InlineData(""), InlineData("0123456789abcde"), InlineData("0123456789abcdef "), InlineData("0123456789abcdef;")]
    [InlineData("0123456789abcdef\n"), InlineData("0123456789abcdefé")]
    public void A_token_with_another_length_or_other_characters_is_rejected(string token)
    {
        PicolloOptions options = new();
        options.Invoking(one => one.PageToken = token).Should().Throw<ArgumentException>().WithMessage("*16 to 128 letters*");
        options.Invoking(one => one.PageToken = new string('a', 129)).Should().Throw<ArgumentException>();
        options.PageToken = "0123456789-._~AZ";
        options.PageToken = null;
        options.PageToken.Should().BeNull();
    }

    private static Task<PageServer> StartAsync() => PageServer.StartAsync(
        application =>
        {
            application.UsePathBase("/base");
            application.UseRouting();
            application.MapPicollo();
        },
        options => options.PageToken = Token);

    private sealed class NoServer : IServer
    {
        public NoServer(string[] addresses)
        {
            ServerAddressesFeature feature = new();
            Array.ForEach(addresses, feature.Addresses.Add);
            Features.Set<IServerAddressesFeature>(feature);
        }

        public IFeatureCollection Features { get; } = new FeatureCollection();

        public Task StartAsync<TContext>(IHttpApplication<TContext> application, CancellationToken cancellationToken)
            where TContext : notnull => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public void Dispose()
        {
        }
    }
}
