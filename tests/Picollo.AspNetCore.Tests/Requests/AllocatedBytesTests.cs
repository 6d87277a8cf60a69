namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the allocated bytes of requests by route.</summary>
[Collection(Alone.Name)]
[Trait("Category", "Slow")]
public sealed class AllocatedBytesTests : IDisposable
{
    private const int Bytes = 1 << 20;
    private readonly TimeSpan _maxWait = OpenSegments.MaxWait;

    public void Dispose() => OpenSegments.MaxWait = _maxWait;

    [Fact]
    public async Task The_histogram_of_a_route_contains_the_bytes_of_all_threads_of_a_request()
    {
        string[] requests = ["/allocate", "/little", "/allocate", "/little", "/allocate", "/little"];
        await using RequestApp app = await StartAsync(isMeasured: true), unmeasured = await StartAsync(isMeasured: false);
        await app.CountsAfterAsync(requests);
        await unmeasured.CountsAfterAsync(requests);
        RouteRow[] rows = [.. app.Routes.All];

        rows.Select(row => (row.Route, row.HistogramOf(RunFact.AllocatedBytes)!.TotalCount)).Should().Equal(("/allocate", 3), ("/little", 3));
        rows[0].HistogramOf(RunFact.AllocatedBytes)!.GetPercentileValue(50).Should().BeInRange(3 * Bytes, 4 * Bytes);
        rows[1].HistogramOf(RunFact.AllocatedBytes)!.GetPercentileValue(100).Should().BeLessThan(Bytes);
        unmeasured.Routes.All.Should().OnlyContain(row => row.HistogramOf(RunFact.AllocatedBytes) == null);
    }

    /// <summary>A thread that has queued the continuation of a request may still be in its flow when the request ends.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task The_bytes_of_a_segment_that_ends_after_the_request_are_counted(bool isMeasuredAfterEnd)
    {
        OpenSegments.MaxWait = TimeSpan.FromMinutes(5);
        using ManualResetEventSlim mayEnd = new();
        await using RequestApp app = await StartHeldAsync(mayEnd, isMeasuredAfterEnd);
        await app.Client.GetStringAsync("/held");
        await app.GetCountsAsync(1);
        RouteRow row = app.Routes.All.Should().ContainSingle().Subject;
        ulong before = row.HistogramOf(RunFact.AllocatedBytes)!.TotalCount;
        mayEnd.Set();
        await WaitForAllocatedAsync(row);

        (before, row.HistogramOf(RunFact.AllocatedBytes)!.TotalCount).Should().Be((0, 1));
        row.SumOf(RunFact.AllocatedBytes).Should().BeInRange(2 * Bytes, 3 * Bytes);
    }

    [Fact]
    public async Task A_segment_that_does_not_end_delays_the_record_for_a_limited_time()
    {
        using ManualResetEventSlim mayEnd = new();
        await using RequestApp app = await StartHeldAsync(mayEnd, isMeasuredAfterEnd: true);
        await app.Client.GetStringAsync("/held");
        await app.GetCountsAsync(1);
        RouteRow row = app.Routes.All.Should().ContainSingle().Subject;
        await WaitForAllocatedAsync(row);
        long recorded = row.SumOf(RunFact.AllocatedBytes);
        mayEnd.Set();

        row.HistogramOf(RunFact.AllocatedBytes)!.TotalCount.Should().Be(1);
        recorded.Should().BeInRange(Bytes, 2 * Bytes);
    }

    private static Task WaitForAllocatedAsync(RouteRow row) =>
        Eventually.IsTrueAsync(() => row.HistogramOf(RunFact.AllocatedBytes)!.TotalCount > 0);

    private static Task<RequestApp> StartHeldAsync(ManualResetEventSlim mayEnd, bool isMeasuredAfterEnd) => RequestApp.StartAsync(
        web => web.MapGet("/held", async () =>
        {
            GC.KeepAlive(new byte[Bytes]);
            TaskCompletionSource allocated = new(TaskCreationOptions.RunContinuationsAsynchronously);
            new Thread(() =>
            {
                GC.KeepAlive(new byte[Bytes]);
                allocated.SetResult();
                mayEnd.Wait();
            }).Start();
            await allocated.Task;
            return "ended";
        }),
        options => (options.Requests.MeasureAllocations, options.Requests.MeasureAfterResponse) = (true, isMeasuredAfterEnd));

    private static Task<RequestApp> StartAsync(bool isMeasured) => RequestApp.StartAsync(
        web =>
        {
            web.MapGet("/little", () => "little");
            web.MapGet("/allocate", async () =>
            {
                int length = new byte[Bytes].Length;
                length += await Task.Run(static () => new byte[Bytes].Length);
                await Task.Yield();
                return length + new byte[Bytes].Length;
            });
        },
        options => options.Requests.MeasureAllocations = isMeasured);
}
