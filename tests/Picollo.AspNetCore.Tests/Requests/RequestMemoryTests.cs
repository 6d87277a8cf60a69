using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Picollo.AspNetCore.Measuring;
using Picollo.TestKit;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests that many requests leave nothing behind except their counts.</summary>
[Collection(Alone.Name)]
public class RequestMemoryTests
{
    // If each request leaked only its watcher, 8.8 MB would remain.
    private const long Limit = 4 << 20;

    private static readonly Endpoint Slow = new(_ => Task.CompletedTask, null, "slow");

    [Fact]
    public async Task One_hundred_thousand_sequential_requests_leave_no_memory_behind()
    {
        using ServiceProvider services = new ServiceCollection().AddLogging().AddPicollo().BuildServiceProvider();
        RequestDelegate pipeline = Build(services, _ => Task.CompletedTask);
        await RunAsync(20_000); // also allocates what other tests and the runtime keep once
        long before = GC.GetTotalMemory(forceFullCollection: true);
        await RunAsync(100_000);
        long grown = GC.GetTotalMemory(forceFullCollection: true) - before;

        grown.Should().BeLessThan(Limit);
        services.GetRequiredService<RouteTable>().All.Should().ContainSingle().Which.Responses.Should().Be(120_000);
        services.GetRequiredService<RunList>().Read().Should().BeEmpty();

        async Task RunAsync(int count)
        {
            for (int i = 0; i < count; i++)
            {
                await pipeline(new DefaultHttpContext());
            }
        }
    }

    [Fact]
    public async Task One_thousand_concurrent_requests_are_listed_and_leave_no_memory_behind()
    {
        const int Count = 1_000;
        using ServiceProvider services = new ServiceCollection().AddLogging().AddPicollo().BuildServiceProvider();
        RunList running = services.GetRequiredService<RunList>();
        TaskCompletionSource mayEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
        RequestDelegate pipeline = Build(services, _ => mayEnd.Task);
        await RunAsync();
        mayEnd = new(TaskCreationOptions.RunContinuationsAsynchronously);
        long before = GC.GetTotalMemory(forceFullCollection: true);
        await RunAsync();
        long grown = GC.GetTotalMemory(forceFullCollection: true) - before;

        grown.Should().BeLessThan(Limit);
        services.GetRequiredService<RouteTable>().All.Should().ContainSingle().Which.Responses.Should().Be(2 * Count);
        running.Read().Should().BeEmpty();

        async Task RunAsync()
        {
            Task[] all = [.. Enumerable.Range(0, Count).Select(_ => pipeline(ContextWithEndpoint()))];
            running.Read().Should().HaveCount(Count);
            mayEnd.SetResult();
            await Task.WhenAll(all);
        }
    }

    private static DefaultHttpContext ContextWithEndpoint()
    {
        DefaultHttpContext context = new();
        context.SetEndpoint(Slow);
        return context;
    }

    private static RequestDelegate Build(ServiceProvider services, RequestDelegate last)
    {
        ApplicationBuilder app = new(services);
        app.UsePicollo();
        app.Run(last);
        return app.Build();
    }
}
