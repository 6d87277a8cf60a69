using System.Net;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Picollo.Samples.Web;

namespace Picollo.Samples.Tests.Web;

[Trait("Category", "Slow")]
public sealed class ApiTests : IAsyncLifetime, IDisposable
{
    private readonly WebApplication _application = Api.Create(["--urls", "http://127.0.0.1:0", "--Logging:LogLevel:Default", "None"]);

    // Closes an unfinished stream immediately, instead of reading it for two seconds.
    private readonly HttpClient _client = new(new SocketsHttpHandler { AllowAutoRedirect = false, ResponseDrainTimeout = TimeSpan.Zero });

    public async Task InitializeAsync()
    {
        await _application.StartAsync();
        _client.BaseAddress = new Uri(_application.Urls.Single());
    }

    public async Task DisposeAsync() => await _application.DisposeAsync();

    public void Dispose() => _client.Dispose();

    [Fact]
    public async Task Every_endpoint_responds_and_is_on_the_page()
    {
        (await GetAsync("/")).Should().Be((HttpStatusCode.Redirect, ""));
        (await GetAsync("/hello")).Should().Be((HttpStatusCode.OK, "Hello."));
        (await GetAsync("/primes/1000")).Should().Be((HttpStatusCode.OK, "168"));
        (await GetAsync("/primes/1000001")).Status.Should().Be(HttpStatusCode.BadRequest);
        (await GetAsync("/quotes/XYZ")).Text.Should().StartWith("XYZ ");
        (await GetAsync("/orders/7")).Text.Should().HaveLength(64);
        (await _client.PostAsync("/orders", new StringContent("three"))).StatusCode.Should().Be(HttpStatusCode.Accepted);
        List<HttpStatusCode> flaky = [];
        for (int i = 0; i < 6; i++)
        {
            flaky.Add((await GetAsync("/flaky")).Status);
        }

        flaky.Count(status => status == HttpStatusCode.InternalServerError).Should().Be(2);
        (await GetAsync("/ticks/3")).Text.Should().Be("1\n2\n3\n");
        (await GetAsync("/nothing/1")).Status.Should().Be(HttpStatusCode.NotFound);

        using JsonDocument usage = await UsageAsync();
        usage.RootElement.GetProperty("routes").EnumerateArray()
            .Select(route => (route.GetProperty("method").GetString(), route.GetProperty("route").GetString(), route.GetProperty("count").GetInt32()))
            .Should().Equal(
                ("GET", "(unhandled)", 1), ("GET", "/", 1), ("GET", "/flaky", 6), ("GET", "/hello", 1), ("POST", "/orders", 1), ("GET", "/orders/{id:int}", 1),
                ("GET", "/primes/{below:int}", 2), ("GET", "/quotes/{symbol}", 1), ("GET", "/ticks/{count:int}", 1));
        JsonElement[] histograms = [.. usage.RootElement.GetProperty("histograms").EnumerateArray()];
        histograms.Single(one => one.GetProperty("name").GetString() == "order_size").GetProperty("values").GetProperty("max").GetDouble()
            .Should().Be(5);
        histograms.Select(one => one.GetProperty("name").GetString()).Should().Contain("shop.quote.duration", "dotnet.lock.wait.duration");
        (await GetAsync("/picollo")).Text.Should().Contain("<bdi>/primes/{below:int}</bdi>");
    }

    [Fact]
    public async Task Requests_of_the_page_and_its_stream_have_no_rows_but_are_a_part_of_the_process()
    {
        using (HttpResponseMessage stream = await _client.GetAsync("/picollo/events", HttpCompletionOption.ResponseHeadersRead))
        {
            stream.StatusCode.Should().Be(HttpStatusCode.OK);
        }

        double first = PageSeconds(await UsageAsync()), second = first;
        for (int attempt = 0; second <= first && attempt < 1000; attempt++)
        {
            await Task.Delay(20);
            using JsonDocument usage = await UsageAsync();
            second = PageSeconds(usage);
            usage.RootElement.GetProperty("routes").GetArrayLength().Should().Be(0);
        }

        second.Should().BeGreaterThan(first);
        (await GetAsync("/picollo/metrics")).Text.Should().Contain("picollo_process_cpu_seconds_total{part=\"page\"} ").And.NotContain("http_route=");

        static double PageSeconds(JsonDocument usage) => usage.RootElement.GetProperty("processCpu").EnumerateArray()
            .Single(part => part.GetProperty("name").GetString() == "page").GetProperty("secondsTotal").GetDouble();
    }

    [Fact]
    public async Task The_demo_prints_the_data_of_the_page_and_the_metrics()
    {
        using StringWriter output = new();
        await Demo.RunAsync(TimeSpan.FromSeconds(1), output, CancellationToken.None);

        string printed = output.ToString();
        printed.Should().Contain("| GET /orders/{id:int} ").And.Contain("| order_size ").And.Contain("| shop.quote.duration ").And.Contain("a page of ").And.Contain("with 2 plots")
            .And.MatchRegex("GET /primes/100000 has Server-Timing: cpu;dur=[0-9.]+, total;dur=[0-9.]+")
            .And.MatchRegex("picollo_http_server_request_cpu_time_seconds_bucket\\{http_request_method=\"GET\",http_route=\"/orders/\\{id:int\\}\",le=\"\\+Inf\"\\} [1-9]");
    }

    private async Task<JsonDocument> UsageAsync() => JsonDocument.Parse((await GetAsync("/picollo/json")).Text);

    private async Task<(HttpStatusCode Status, string Text)> GetAsync(string path)
    {
        using HttpResponseMessage response = await _client.GetAsync(path);
        return (response.StatusCode, await response.Content.ReadAsStringAsync());
    }
}
