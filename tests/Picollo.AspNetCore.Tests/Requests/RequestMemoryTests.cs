namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that many requests leave nothing behind except their counts.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public class RequestMemoryTests
{
    // If each request leaked only its watcher, 8.8 MB would remain.
    private const long Limit = 4 << 20;

    private static readonly Endpoint Slow = new(_ => Task.CompletedTask, null, "slow");

    [Fact]
    public async Task One_hundred_thousand_requests_one_thousand_at_a_time_are_listed_and_leave_no_memory_behind()
    {
        const int AtOnce = 1_000;
        using ServiceProvider services = new ServiceCollection().AddLogging().AddPicollo().BuildServiceProvider();
        RunList running = services.GetRequiredService<RunList>();
        TaskCompletionSource mayEnd = new();
        ApplicationBuilder app = new(services);
        app.UsePicollo();
        app.Run(_ => mayEnd.Task);
        RequestDelegate pipeline = app.Build();
        await RunAsync(20); // also allocates what other tests and the runtime keep once
        long before = GC.GetTotalMemory(forceFullCollection: true);
        await RunAsync(100);
        long grown = GC.GetTotalMemory(forceFullCollection: true) - before;

        grown.Should().BeLessThan(Limit);
        services.GetRequiredService<RouteTable>().All.Should().ContainSingle().Which.Responses.Should().Be(120 * AtOnce);
        running.Read().Should().BeEmpty();

        async Task RunAsync(int times)
        {
            for (int i = 0; i < times; i++)
            {
                mayEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
                Task[] all = [.. Enumerable.Range(0, AtOnce).Select(_ => pipeline(ContextWithEndpoint()))];
                running.Read().Should().HaveCount(AtOnce);
                mayEnd.SetResult();
                await Task.WhenAll(all);
            }
        }
    }

    private static DefaultHttpContext ContextWithEndpoint()
    {
        DefaultHttpContext context = new();
        context.SetEndpoint(Slow);
        return context;
    }
}
