using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Picollo.AspNetCore.Measuring;
using Picollo.Cpu;

namespace Picollo.AspNetCore.Tests.Requests;

/// <summary>Tests the allocated bytes of requests by route.</summary>
[Collection(Alone.Name)]
public sealed class AllocatedBytesTests : IDisposable
{
    private const int Bytes = 1 << 20;
    private readonly TimeSpan _maxWait = OpenSegments.MaxWait;

    public void Dispose() => OpenSegments.MaxWait = _maxWait;

    [Fact]
    public async Task The_histogram_of_a_route_contains_the_bytes_of_all_threads_of_a_request()
    {
        await using RequestApp app = await StartAsync(isMeasured: true);
        for (int i = 0; i < 3; i++)
        {
            await app.Client.GetStringAsync("/allocate");
            await app.Client.GetStringAsync("/little");
        }

        await app.GetCountsAsync(6);
        RouteRow[] rows = [.. app.Routes.All];
        JsonElement json = await ReadAsync(app);
        string exposition = await app.Client.GetStringAsync("/picollo/metrics");

        rows.Select(row => (row.Route, row.HistogramOf(RunFact.AllocatedBytes)!.TotalCount)).Should().Equal(("/allocate", 3), ("/little", 3));
        rows[0].HistogramOf(RunFact.AllocatedBytes)!.GetPercentileValue(50).Should().BeInRange(3 * Bytes, 4 * Bytes);
        rows[1].HistogramOf(RunFact.AllocatedBytes)!.GetPercentileValue(100).Should().BeLessThan(Bytes);
        json.GetProperty("allocatedBytes").GetProperty("sum").GetDouble().Should().Be(rows[0].SumOf(RunFact.AllocatedBytes));
        exposition.Should().Contain(
            "picollo_http_server_request_allocated_bytes_count{http_request_method=\"GET\",http_route=\"/allocate\"} 3\n");
        (await app.Client.GetStringAsync("/picollo")).Should().Contain("Allocated (p50)");
    }

    [Fact]
    public async Task By_default_allocated_bytes_are_not_measured()
    {
        await using RequestApp app = await StartAsync(isMeasured: false);
        await app.Client.GetStringAsync("/allocate");
        await app.GetCountsAsync(1);

        app.Routes.All.Should().OnlyContain(row => row.HistogramOf(RunFact.AllocatedBytes) == null);
        (await ReadAsync(app)).GetProperty("allocatedBytes").ValueKind.Should().Be(JsonValueKind.Null);
        (await app.Client.GetStringAsync("/picollo/metrics") + await app.Client.GetStringAsync("/picollo")).Should().NotContainEquivalentOf("allocated");
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

    private static async Task WaitForAllocatedAsync(RouteRow row)
    {
        for (int i = 0; i < 6000 && row.HistogramOf(RunFact.AllocatedBytes)!.TotalCount == 0; i++)
        {
            await Task.Delay(10);
        }
    }

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
            web.MapPicollo().AllowAnonymous();
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

    private static async Task<JsonElement> ReadAsync(RequestApp app) => JsonDocument
        .Parse(await app.Client.GetStringAsync("/picollo/json")).RootElement.GetProperty("routes").EnumerateArray()
        .Single(route => route.GetProperty("route").GetString() == "/allocate");
}
