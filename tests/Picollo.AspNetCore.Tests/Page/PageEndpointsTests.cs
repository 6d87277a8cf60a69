using System.Text.RegularExpressions;

namespace Picollo.AspNetCore.Tests.Page;

public class PageEndpointsTests
{
    [Theory]
    [InlineData("/picollo", "text/html; charset=utf-8"), InlineData("/picollo/", "text/html; charset=utf-8")]
    [InlineData("/picollo/json", "application/json"), InlineData("/picollo/metrics", "text/plain; version=0.0.4; charset=utf-8")]
    [InlineData("/picollo/mark", "application/json"), InlineData("/picollo/events", "text/event-stream")]
    public async Task Every_response_has_its_content_type_security_headers_and_no_store(string path, string type)
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders");
        string id = await IdAsync(server);
        foreach (HttpMethod method in new[] { HttpMethod.Get, HttpMethod.Head })
        {
            using HttpRequestMessage request = new(method, $"{path}?show={id}");
            using HttpResponseMessage response = await server.Client.SendAsync(request, HttpCompletionOption.ResponseHeadersRead);

            response.StatusCode.Should().Be(HttpStatusCode.OK);
            response.Content.Headers.ContentType!.ToString().Should().Be(type);
            Dictionary<string, string> headers = response.Headers.ToDictionary(header => header.Key, header => string.Join(',', header.Value));
            headers["Cache-Control"].Should().Be("no-store");
            headers["X-Content-Type-Options"].Should().Be("nosniff");
            headers["X-Frame-Options"].Should().Be("DENY");
            headers["Referrer-Policy"].Should().Be("same-origin");
            headers["Cross-Origin-Resource-Policy"].Should().Be("same-origin");
            headers["Content-Security-Policy"].Should().Be(PageDocument.ContentSecurityPolicy);
            if (method == HttpMethod.Head)
            {
                (await response.Content.ReadAsStringAsync()).Should().BeEmpty();
            }
        }
    }

    [Theory]
    [InlineData("text/plain; version=0.0.4; charset=utf-8")]
    [InlineData("application/openmetrics-text; version=1.0.0; charset=utf-8")]
    [InlineData("application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited")]
    public async Task The_exposition_has_the_requested_format_and_omits_a_histogram_with_the_name_of_a_counter(string type)
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders");
        server.Registry.GetOrAdd("process.cpu", HdrHistogram.Create, HdrHistogramDescription.Nanoseconds, []);
        server.Registry.GetOrAdd("picollo.http.server.responses.total", HdrHistogram.Create, HdrHistogramDescription.None, []);
        server.Registry.GetOrAdd("picollo_http_server_max_routes", HdrHistogram.Create, HdrHistogramDescription.None, []);
        server.Registry.GetOrAdd("picollo.omitted.histograms", HdrHistogram.Create, HdrHistogramDescription.None, []);
        server.Registry.GetOrAdd("other", HdrHistogram.Create, HdrHistogramDescription.None, []);
        using HttpRequestMessage request = new(HttpMethod.Get, "/picollo/metrics");
        request.Headers.TryAddWithoutValidation("Accept", type);

        using HttpResponseMessage response = await server.Client.SendAsync(request);

        response.Content.Headers.ContentType!.ToString().Should().Be(type);
        response.Headers.Vary.Should().Equal("Accept");
        byte[] body = await response.Content.ReadAsByteArrayAsync();
        string text = System.Text.Encoding.UTF8.GetString(body);
        string[] families = type.Contains("protobuf", StringComparison.Ordinal)
            ? [.. ProtobufMessage.Delimited(body).Select(family => family.Text(1))]
            : [.. text.Split('\n').Where(line => line.StartsWith("# TYPE", StringComparison.Ordinal)).Select(line => line.Split(' ')[2])];
        families.Select(name => name.EndsWith("_total", StringComparison.Ordinal) ? name[..^6] : name).Should().OnlyHaveUniqueItems()
            .And.Contain(
                ["process_cpu_seconds", "picollo_http_server_max_routes", "other", "picollo_omitted_histograms",
                "picollo_http_server_responses", "http_server_request_duration_seconds"]);
        text.Should().ContainAll("process.cpu", "picollo.http.server.responses.total", "picollo.omitted.histograms").And.Contain("another metric or one of its lines has this name");
    }

    [Theory]
    [InlineData("POST", "/picollo", "GET, HEAD")]
    [InlineData("DELETE", "/picollo/json", "GET, HEAD")]
    [InlineData("GET", "/picollo/diff", "POST")]
    public async Task Other_methods_are_not_allowed(string method, string path, string allowed)
    {
        await using PageServer server = await PageServer.StartAsync();
        using HttpResponseMessage response = await server.Client.SendAsync(new HttpRequestMessage(new HttpMethod(method), path));
        response.StatusCode.Should().Be(HttpStatusCode.MethodNotAllowed);
        response.Content.Headers.Allow.Should().Equal(allowed.Split(", "));
    }

    [Fact]
    public async Task A_window_shows_recent_values_in_the_table_and_in_the_plots()
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders", 900_000_000, 900_000_000);
        string id = await IdAsync(server);
        await server.Client.GetStringAsync("/picollo"); // starts the window
        server.Count("GET", "/orders", 1_000_000, 1_000_000, 3);

        string all = await server.Client.GetStringAsync($"/picollo?show={id}");
        string minute = await server.Client.GetStringAsync($"/picollo?show={id}&window=1m");

        all.Should().Contain("<td data-name=\"CPU ms max\">902</td>").And.Contain("Percentiles since the start").And.Contain("data-window=\"\"");
        all.Should().Contain($"<a href=\"?show={id}\" aria-current=\"true\">since the start</a> <a href=\"?show={id}&amp;window=10m\">last 10 minutes</a>");
        minute.Should().Contain("<td data-name=\"CPU ms max\">1.00</td>").And.Contain("Percentiles over the last minute").And.Contain("data-window=\"1m\"");
        minute.Should().Contain(" so far; recorded only while this page is open").And.Contain($"<a href=\"?show={id}&amp;window=1m#chosen\"");
        minute.Should().Contain("<td data-name=\"requests\">4</td>", "the number of requests covers the time since the start");
        await using EventReader events = await EventReader.OpenAsync(server, $"?show={id}&chosen={id}&window=1m");
        (await events.NextAsync()).Data.Should().Contain("<td data-name=\"CPU ms max\">1.00</td>");
        (await events.NextAsync()).Data.Should().Contain("Percentiles over the last minute");
        (await server.Client.GetStringAsync("/picollo?window=1y")).Should().Contain("Percentiles since the start");
    }

    [Fact]
    public async Task Rows_with_long_names_show_their_differences()
    {
        string same = string.Concat(Enumerable.Repeat("/segment", 20));
        await using PageServer server = await PageServer.StartAsync();
        foreach (string name in new[] { "orders", "items" })
        {
            server.Count("GET", $"{same}/{name}{same}");
            server.Registry.GetOrAdd($"{same}/{name}_sizes{same}", () => HdrHistogram.Create(), HdrHistogramDescription.None);
        }

        string page = await server.Client.GetStringAsync("/picollo");

        string[] rows = [.. Regex.Matches(page, "<bdi>([^<]*)</bdi></a></th>").Select(match => match.Groups[1].Value)];
        rows.Should().HaveCount(4);
        rows.Select(row => Regex.Match(row, "orders_sizes|items_sizes|orders|items").Value)
            .Should().BeEquivalentTo("orders", "items", "orders_sizes", "items_sizes");
        rows.Should().OnlyContain(row => row.Length <= 160);
    }

    [Fact]
    public async Task The_page_shows_each_route_and_histogram_and_plots_the_one_with_the_most_CPU_time()
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/cheap", 2_000_000, 30_000_000, 100);
        server.Count("POST", "/dear", 500_000_000, 800_000_000, 3);
        server.Registry.GetOrAdd("size", () => HdrHistogram.Create(), new HdrHistogramDescription { Unit = new() { Name = "bytes" } }, [new("shop", "here")]).Record(77);

        string page = await server.Client.GetStringAsync("/picollo");

        page.Should().StartWith("<!DOCTYPE html>").And.EndWith("</html>\n").And.NotContain("\r");
        page.IndexOf("/dear", StringComparison.Ordinal).Should().BeLessThan(page.IndexOf("/cheap", StringComparison.Ordinal));
        page.Should().Contain("<h2><b>POST</b> <bdi>/dear</bdi></h2>");
        page.Should().Contain("#chosen\"", "a link of a row scrolls to its plots");
        page.Split("<figure>").Should().HaveCount(3);
        page.Should().NotContainAny("src=", "href=\"http", "url(", "The table is full");

        string other = await server.Client.GetStringAsync("/picollo?show=" + PageRow.FromRegistration(server.Registry.Registrations[0]).Id);
        other.Should().Contain("<h2><bdi>size{").And.Contain("aria-current=\"true\"><bdi>size");
    }

    [Theory]
    [InlineData("?show=0123456789abcdef")]
    [InlineData("?show=\"><script>alert(1)</script>")]
    [InlineData("?show=a&show=b")]
    public async Task An_unknown_requested_ID_does_not_appear_in_the_page(string query)
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders");
        string page = await server.Client.GetStringAsync("/picollo" + query);
        page.Should().Contain("<h2><b>GET</b> <bdi>/orders</bdi></h2>").And.NotContain("alert").And.NotContain("0123456789abcdef");
        (await server.Client.GetAsync("/picollo/mark" + query)).StatusCode.Should().Be(HttpStatusCode.NotFound);
        (await server.Client.PostAsync("/picollo/diff" + query, null)).StatusCode.Should().Be(HttpStatusCode.NotFound);
    }

    [Theory]
    [InlineData("/picollo", "/picollo", "./picollo")]
    [InlineData("/picollo", "/picollo/", "./.")]
    [InlineData("/", "/", "./.")]
    [InlineData("/in/a/{tenant}", "/in/a/javascript:alert(1)\"x", "./javascript%3Aalert%281%29%22x")]
    [InlineData("/", "/base", "./base")]
    [InlineData("/", "/base/", "./.")]
    public async Task The_addresses_of_the_page_are_relative(string pattern, string path, string address)
    {
        await using PageServer server = await PageServer.StartAsync(application =>
        {
            application.UsePathBase("/base");
            application.UseRouting();
            application.MapPicollo(pattern);
        });
        string page = await server.Client.GetStringAsync(path);
        page.Should().Contain($"data-address=\"{address}\"").And.Contain($"href=\"{address}/json\"").And.NotContain("alert(1)\"");
        Uri json = new(new Uri(server.Address, path), $"{address}/json");
        (await server.Client.GetAsync(json)).StatusCode.Should().Be(HttpStatusCode.OK);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task A_disposed_histogram_does_not_hide_the_others()
    {
        await using PageServer server = await PageServer.StartAsync(build: FastTimers.TenTimes);
        HdrHistogram gone = HdrHistogram.Create();
        server.Registry.Add("gone", gone);
        server.Registry.Add("there", HdrHistogram.Create());
        string id = PageRow.FromRegistration(server.Registry.Registrations[0]).Id;
        string mark = await server.Client.GetStringAsync($"/picollo/mark?show={id}");
        await using EventReader events = await EventReader.OpenAsync(server, $"?show={id}");
        (await events.NextAsync()).Name.Should().Be("usage");
        (await events.NextAsync()).Name.Should().Be("plots");
        gone.Dispose();
        (await events.NextAsync()).Data.Should().Contain("<bdi>there</bdi>").And.NotContain("<bdi>gone</bdi>");
        server.Count("GET", "/later");
        (await events.NextAsync()).Data.Should().Contain("<bdi>/later</bdi>", "the stream continues");

        (await server.Client.GetStringAsync($"/picollo?show={id}")).Should().Contain("<bdi>there</bdi>").And.NotContain("<figure>");
        (await server.Client.GetStringAsync("/picollo/json")).Should().Contain("\"there\"").And.NotContain("\"gone\"");
        (await server.Client.GetStringAsync("/picollo/metrics")).Should().Contain("there_count 0").And.NotContain("gone_count");
        (await server.Client.GetAsync($"/picollo/mark?show={id}")).StatusCode.Should().Be(HttpStatusCode.Conflict);
        (await server.Client.PostAsync($"/picollo/diff?show={id}", new StringContent(mark))).StatusCode.Should().Be(HttpStatusCode.Conflict);
    }

    internal static async Task<string> IdAsync(PageServer server)
    {
        using JsonDocument json = JsonDocument.Parse(await server.Client.GetStringAsync("/picollo/json"));
        return json.RootElement.GetProperty("routes")[0].GetProperty("id").GetString()!;
    }
}
