namespace Picollo.AspNetCore.Tests.Page;

/// <summary>Tests that read the memory of the process.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class EventStreamMemoryTests
{
    [Fact]
    public async Task Viewers_that_disconnect_leave_no_memory_behind()
    {
        await using PageServer server = await PageServer.StartAsync(configure: options => options.MaxPageViewers = 8);
        server.Count("GET", "/orders", count: 100);
        string id = await PageEndpointsTests.IdAsync(server);
        await ViewAsync(20);
        long before = GC.GetTotalMemory(forceFullCollection: true);

        await ViewAsync(160);

        long grown = GC.GetTotalMemory(forceFullCollection: true) - before;
        grown.Should().BeLessThan(160 * 10_000L, "the two snapshots of a viewer take 75 KB");

        async Task ViewAsync(int viewers)
        {
            for (int i = 0; i < viewers; i += 4)
            {
                await Task.WhenAll(Enumerable.Range(0, 4).Select(async _ =>
                {
                    await using EventReader events = await EventReader.OpenAsync(server, "?show=" + id);
                    await events.NextAsync();
                    (await events.NextAsync()).Name.Should().Be("plots");
                }));
                await Eventually.IsTrueAsync(() => server.Viewers == 0);
            }
        }
    }
}
