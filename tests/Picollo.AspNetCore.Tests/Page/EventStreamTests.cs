using System.Diagnostics;

namespace Picollo.AspNetCore.Tests.Page;

public class EventStreamTests
{
    [Fact]
    [Trait("Category", "Slow")] // it sends each second
    public async Task The_stream_sends_the_tables_each_second_and_the_requested_plots()
    {
        await using PageServer server = await PageServer.StartAsync();
        server.Count("GET", "/orders", 1_000_000, 2_000_000);
        string id = await PageEndpointsTests.IdAsync(server);
        await using EventReader events = await EventReader.OpenAsync(server, $"?show={id}&chosen={id}");

        (string name, string data) = await events.NextAsync();
        name.Should().Be("usage");
        data.Should().Contain("<td data-name=\"requests\">1</td>").And.Contain("aria-current=\"true\"");
        (name, data) = await events.NextAsync();
        name.Should().Be("plots");
        data.Split("<figure>").Should().HaveCount(3);
        server.Viewers.Should().Be(1);

        server.Count("GET", "/orders", count: 10);
        string usage = await LastUntilAsync(events, "usage", "<td data-name=\"requests\">11</td>");
        usage.Should().NotBe(data);
        (await LastUntilAsync(events, "plots", "<svg")).Should().NotBe(data, "it contains ten more values");
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_stream_sends_plots_of_a_subject_that_appears_later_and_none_without_a_subject()
    {
        await using PageServer server = await PageServer.StartAsync(build: FastTimers.TenTimes);
        server.Count("GET", "/orders");
        string id = await PageEndpointsTests.IdAsync(server);
        await using PageServer restarted = await PageServer.StartAsync(build: FastTimers.TenTimes);
        await using EventReader without = await EventReader.OpenAsync(server, "");
        await using EventReader with = await EventReader.OpenAsync(restarted, $"?show={id}");

        (await with.NextAsync()).Data.Should().Contain("No requests yet");
        restarted.Count("GET", "/orders");
        (await LastUntilAsync(with, "plots", "<figure>")).Should().Contain("<svg");
        for (int i = 0; i < 2; i++)
        {
            server.Count("GET", "/orders");
            (await without.NextAsync()).Name.Should().Be("usage");
        }
    }

    [Fact]
    public async Task Viewers_beyond_the_limit_get_503_until_one_disconnects()
    {
        await using PageServer server = await PageServer.StartAsync(configure: options => options.MaxPageViewers = 2);
        EventReader first = await EventReader.OpenAsync(server, "");
        await using EventReader second = await EventReader.OpenAsync(server, "");
        using HttpResponseMessage third = await server.Client.GetAsync("/picollo/events");

        third.StatusCode.Should().Be(HttpStatusCode.ServiceUnavailable);
        third.Headers.RetryAfter!.Delta.Should().Be(TimeSpan.FromSeconds(10));
        third.Headers.CacheControl!.NoStore.Should().BeTrue();
        (await server.Client.GetAsync("/picollo")).StatusCode.Should().Be(HttpStatusCode.OK, "a page without updates is not limited");
        (await server.Client.SendAsync(new(HttpMethod.Head, "/picollo/events"))).StatusCode.Should().Be(HttpStatusCode.OK);

        await first.DisposeAsync();
        await Eventually.IsTrueAsync(() => server.Viewers == 1);
        await using EventReader fourth = await EventReader.OpenAsync(server, "");
        server.Viewers.Should().Be(2);
    }

    [Fact]
    public async Task The_stream_ends_with_the_application()
    {
        PageServer server = await PageServer.StartAsync();
        EventStream stream = server.Application.Services.GetRequiredService<EventStream>();
        await using EventReader events = await EventReader.OpenAsync(server, "");
        (await events.NextAsync()).Name.Should().Be("usage");

        Task stopped = server.DisposeAsync().AsTask();

        while ((await events.NextAsync()).Name.Length > 0)
        {
        }

        await stopped.WaitAsync(TimeSpan.FromSeconds(25)); // Kestrel would wait 30 s for a request that does not end
        stream.Viewers.Should().Be(0);
    }

    [Fact]
    [Trait("Category", "Slow")]
    public async Task The_stream_ends_after_a_minute_so_that_the_browser_reconnects()
    {
        await using PageServer server = await PageServer.StartAsync(
            build: builder => builder.Services.AddSingleton<TimeProvider>(new FastTimers(100)));

        string all = await server.Client.GetStringAsync("/picollo/events");

        string[] messages = all.Split("\n\n", StringSplitOptions.RemoveEmptyEntries);
        messages[0].Should().Be("retry: 250");
        messages[1].Should().StartWith("event: usage\ndata: <p class=\"about\">").And.Contain("<dl");
        messages.Should().HaveCount(61).And.Contain(":", "a comment is sent if nothing has changed within a second");
        await Eventually.IsTrueAsync(() => server.Viewers == 0);
    }

    private static async Task<string> LastUntilAsync(EventReader events, string name, string content)
    {
        Stopwatch waited = Stopwatch.StartNew();
        while (waited.Elapsed < TimeSpan.FromSeconds(20))
        {
            (string Name, string Data) one = await events.NextAsync();
            if (one.Name == name && one.Data.Contains(content, StringComparison.Ordinal))
            {
                return one.Data;
            }
        }

        throw new TimeoutException($"no event {name} with {content}");
    }
}
