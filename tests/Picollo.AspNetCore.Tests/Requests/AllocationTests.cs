using System.Runtime.CompilerServices;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the allocations that the middleware adds to a request that never waits.</summary>
public class AllocationTests
{
    private const int Calls = 100;

    // The objects of the runtime for a flow, in 64 bits: the context, an object with four fields, and the map with one key and value.
    private const long ContextAndMapBytes = (16 + (3 * 8)) + (16 + (2 * 8));

    [Theory]
    [InlineData(CpuUsageDetail.TotalOnly)]
    [InlineData(CpuUsageDetail.UserAndKernel)]
    public void A_request_allocates_four_objects_with_328_bytes_in_total(CpuUsageDetail detail)
    {
        long added = 0;

        // A thread of the pool creates the contexts that all flows share. Until then, a flow allocates an array of listeners.
        SpinWait.SpinUntil(
            () => (added = InSeparateFlow(() => Pipeline(detail), prepare: static () => { })) == Calls * 328, TimeSpan.FromSeconds(30));

        added.Should().Be(Calls * (SizeOf(typeof(RequestRun)) + SizeOf(typeof(CpuUsageAsyncWatcher)) + ContextAndMapBytes)).And.Be(Calls * 328);
    }

    private static RequestDelegate Pipeline(CpuUsageDetail detail)
    {
        ServiceProvider services = new ServiceCollection().AddLogging().AddPicollo(options => options.Requests.CpuUsageDetail = detail).BuildServiceProvider();
        ApplicationBuilder app = new(services);
        app.UsePicollo();
        app.Run(static context =>
        {
            context.Response.StatusCode = 204;
            return Task.CompletedTask;
        });
        return app.Build();
    }

    /// <returns>The allocated bytes of one hundred requests.</returns>
    private static long InSeparateFlow(Func<RequestDelegate> build, Action prepare)
    {
        RequestDelegate pipeline = build();
        long allocated = 0;
        RunSeparately(() =>
        {
            prepare();
            DefaultHttpContext context = new();
            allocated = Allocations.InSteadyState(() =>
            {
                _ = pipeline(context).IsCompletedSuccessfully;

                // The server does this between requests.
                context.Features.Set<RequestRun.MeasuredMark>(null);
            });
        });
        return allocated;
    }

    private static void RunSeparately(ThreadStart action)
    {
        Thread thread = new(action);
        thread.UnsafeStart();
        thread.Join();
    }

    private static long SizeOf(Type type) => Allocations.InSteadyState(() => RuntimeHelpers.GetUninitializedObject(type)) / Calls;
}
