using System.Net;
using System.Net.Sockets;

namespace Picollo.Export.Tests;

/// <summary>Tests that a receiver can neither extend an export beyond its limit nor make the exporter send many requests. The tests advance the
/// time.</summary>
public sealed class OtlpLimitTests : OtlpTests
{
    private static readonly TimeSpan Limit = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan OneTick = TimeSpan.FromTicks(1);
    private static readonly TimeSpan Hang = TimeSpan.FromSeconds(20); // of the test, which then fails

    public OtlpLimitTests() => AddSeries(1);

    [Theory]
    [InlineData("0"), InlineData("-1"), InlineData("-99999999999999999999"), InlineData("0.5"), InlineData("soon")]
    [InlineData("Wed, 25 Nov 2026 00:00:00 GMT"), InlineData("Tue, 24 Nov 2026 23:00:00 GMT"), InlineData("Mon, 01 Jan 0001 00:00:00 GMT")]
    public async Task A_receiver_that_requests_no_wait_gets_one_request_after_each_backoff(string retryAfter)
    {
        AnswerAlways(503, retryAfter);
        OtlpExporter exporter = Exporter();

        Task<bool> flush = exporter.FlushAsync();
        List<TimeSpan> waits = await AdvanceAsync(flush, _time);

        (await flush).Should().BeFalse();
        _receiver.Requests.Should().HaveCount(3, "the backoffs are 1, 2 and 4 s, each ± 20 %, and the third ends after the limit");
        waits.Should().HaveCount(2);
        waits[0].TotalSeconds.Should().BeInRange(0.8, 1.2);
        waits[1].TotalSeconds.Should().BeInRange(1.6, 2.4);
        exporter.LastError!.Message.Should().Contain("503");
    }

    [Theory]
    [InlineData("601"), InlineData("2147483647"), InlineData("2147483648"), InlineData("99999999999999999999")]
    [InlineData("Wed, 25 Nov 2026 01:00:00 GMT"), InlineData("Fri, 31 Dec 9999 23:59:59 GMT")]
    public async Task A_receiver_that_requests_a_long_wait_gets_the_next_request_after_ten_minutes(string retryAfter)
    {
        _receiver.Answer(503, retryAfter);
        OtlpExporter exporter = Exporter();

        (await exporter.FlushAsync().WaitAsync(Hang)).Should().BeFalse();
        _time.Advance(TimeSpan.FromMinutes(10) - Limit);
        (await exporter.FlushAsync().WaitAsync(Hang)).Should().BeFalse();
        _receiver.Requests.Should().ContainSingle();
        _time.Advance(Limit);
        (await exporter.FlushAsync().WaitAsync(Hang)).Should().BeTrue();
        _receiver.Requests.Should().HaveCount(2);
    }

    [Theory]
    [InlineData("", ""), InlineData("HTTP/1.1 503 Service Un", ""), InlineData("", "HTTP/1.1 103 Early Hints\r\n\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\n", "A: b\r\n")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n\r\n", "\x78\x01")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nTransfer-Encoding: chunked\r\n\r\n", "2\r\n\x78\x01\r\n")]
    public async Task A_flush_ends_at_its_limit_if_a_response_has_no_end(string start, string repeated)
    {
        using TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        using SemaphoreSlim arrived = new(0);
        using CancellationTokenSource end = new();
        Task serving = ServeAsync(listener, start, repeated, arrived, end.Token);
        OtlpExporter exporter = Exporter(options => options.Endpoint = new Uri($"http://{listener.LocalEndpoint}/v1/metrics"));

        Task<bool> flush = exporter.FlushAsync();
        (await arrived.WaitAsync(Hang)).Should().BeTrue();
        _time.Advance(Limit - OneTick);
        flush.IsCompleted.Should().BeFalse();
        _time.Advance(OneTick);

        (await flush.WaitAsync(Hang)).Should().BeFalse();
        exporter.LastError.Should().BeOfType<TimeoutException>().Which.Message.Should()
            .Be($"The export to http://{listener.LocalEndpoint}/v1/metrics was not complete within 5 s.");
        _errors.Should().ContainSingle().Which.Should().BeSameAs(exporter.LastError);
        await end.CancelAsync();
        await serving;
    }

    [Fact]
    public async Task A_flush_of_slow_requests_ends_at_its_limit_and_the_next_one_starts_with_the_other_requests()
    {
        AddSeries(5_000);
        for (int i = 0; i < 3; i++)
        {
            _receiver.Answer(_ =>
            {
                _time.Advance(TimeSpan.FromSeconds(2));
                return Task.CompletedTask;
            });
        }

        OtlpExporter exporter = Exporter();

        (await exporter.FlushAsync().WaitAsync(Hang)).Should().BeFalse();
        _receiver.Requests.Should().HaveCount(3, "the requests start at 0, 2 and 4 s");
        exporter.ExportedCount.Should().Be(2_000);

        (await exporter.FlushAsync().WaitAsync(Hang)).Should().BeTrue("the other requests are fast");
        _receiver.Requests.Should().HaveCount(8);
        _receiver.Requests.Take(5).SelectMany(request => OtlpDataPoint.Read(request.Body)).Select(point => point.Attributes["i"])
            .Should().OnlyHaveUniqueItems().And.HaveCount(5_000);
    }

    [Fact]
    public async Task A_request_does_not_start_after_the_limit()
    {
        AddSeries(3_000);
        _receiver.Answer(_ =>
        {
            _time.Spend(Limit); // on a busy machine, the response can arrive before the timer runs
            return Task.CompletedTask;
        });
        OtlpExporter exporter = Exporter();

        (await exporter.FlushAsync().WaitAsync(Hang)).Should().BeFalse();

        _receiver.Requests.Should().ContainSingle();
        exporter.ExportedCount.Should().Be(1_000);
        exporter.LastError.Should().BeOfType<TimeoutException>();
    }

    [Fact]
    public async Task A_flush_that_waits_for_another_export_ends_at_its_limit()
    {
        OtlpExporter exporter = await StartPeriodicExportAsync(TimeSpan.FromMinutes(1));

        Task<bool> flush = exporter.FlushAsync();
        _time.Advance(Limit - OneTick);
        flush.IsCompleted.Should().BeFalse();
        _time.Advance(OneTick);

        (await flush.WaitAsync(Hang)).Should().BeFalse();
        _receiver.Requests.Should().ContainSingle();
        exporter.LastError.Should().BeOfType<TimeoutException>();
    }

    [Theory]
    [InlineData(10_000, 10)]
    [InlineData(1, 5)]
    public async Task A_periodic_export_ends_when_the_next_one_is_due_but_has_at_least_the_time_of_a_flush(int interval, int limit)
    {
        await StartPeriodicExportAsync(TimeSpan.FromMilliseconds(interval));

        _time.Advance(TimeSpan.FromSeconds(limit) - OneTick);
        _errors.Should().BeEmpty();
        _time.Advance(OneTick);
        await _receiver.WaitAsync();

        _errors.Should().ContainSingle().Which.Should().BeOfType<TimeoutException>()
            .Which.Message.Should().EndWith($"was not complete within {limit} s.");
    }

    [Fact]
    public async Task Disposal_ends_at_its_limit_if_a_request_and_a_flush_are_in_progress()
    {
        OtlpExporter exporter = await StartPeriodicExportAsync(TimeSpan.FromMinutes(1));
        _time.Advance(TimeSpan.FromSeconds(1));
        Task<bool> flush = exporter.FlushAsync();
        _time.Advance(TimeSpan.FromSeconds(1));

        Task end = exporter.DisposeAsync().AsTask();
        _time.Advance(Limit - OneTick);
        end.IsCompleted.Should().BeFalse();
        _time.Advance(OneTick);

        await end.WaitAsync(Hang);
        (await flush.WaitAsync(Hang)).Should().BeFalse();
        _receiver.Requests.Should().ContainSingle();
    }

    [Fact]
    public async Task Disposal_ends_at_its_limit_if_the_callback_of_the_application_does_not_return()
    {
        using ManualResetEventSlim callback = new();
        using SemaphoreSlim called = new(0);
        _receiver.Answer(400);
        OtlpExporter exporter = Exporter(options =>
        {
            options.Interval = TimeSpan.FromMinutes(1);
            options.OnError = _ =>
            {
                called.Release();
                if (_errors.IsEmpty)
                {
                    _errors.Enqueue(new TimeoutException());
                    callback.Wait();
                }
            };
        });
        await TimerAsync(TimeSpan.FromMinutes(1));
        _time.Advance(TimeSpan.FromMinutes(1));
        (await called.WaitAsync(Hang)).Should().BeTrue();

        try
        {
            Task end = exporter.DisposeAsync().AsTask();
            _time.Advance(Limit);
            await end.WaitAsync(Hang);
        }
        finally
        {
            callback.Set();
        }
    }

    [Theory]
    [InlineData(1, 0)]
    [InlineData(1_000_000_000, long.MinValue)]
    [InlineData(1_000_000_000, long.MaxValue - 10)]
    [InlineData(1_000_000_000_000_000, 1)]
    public async Task Any_frequency_and_any_timestamp_of_the_time_provider_are_supported(long frequency, long first)
    {
        for (int i = 0; i < 3; i++)
        {
            _receiver.Answer(503);
        }

        OtlpExporter exporter = Exporter(options => (options.TimeProvider, options.Interval) = (new OtherUnit(_time, frequency, first), TimeSpan.FromDays(1)));
        Task<bool> flush = exporter.FlushAsync();
        await AdvanceAsync(flush, _time);

        (await flush).Should().BeFalse();
        _receiver.Requests.Should().HaveCount(3);
    }

    /// <summary>Sends the start of a response and then more and more of it.</summary>
    private static async Task ServeAsync(TcpListener listener, string start, string repeated, SemaphoreSlim arrived, CancellationToken end)
    {
        try
        {
            using TcpClient client = await listener.AcceptTcpClientAsync(end);
            NetworkStream stream = client.GetStream();
            await stream.ReadExactlyAsync(new byte[16], end);
            await stream.WriteAsync(Encoding.Latin1.GetBytes(start), end);
            arrived.Release();
            while (true)
            {
                await stream.WriteAsync(Encoding.Latin1.GetBytes(repeated), end);
                await Task.Delay(10, end);
            }
        }
        catch (Exception e) when (e is OperationCanceledException or IOException)
        {
            // The test or the connection has ended.
        }
    }

    private void AddSeries(int count)
    {
        for (int i = 0; i < count; i++)
        {
            _registry.GetOrAdd("x", HdrHistogram.Create, HdrHistogramDescription.None, [new("i", $"{i}")]).Record(1);
        }
    }

    /// <summary>Adds enough responses to show a storm, and then one that ends it.</summary>
    private void AnswerAlways(int status, string retryAfter)
    {
        for (int i = 0; i < 100; i++)
        {
            _receiver.Answer(status, retryAfter);
        }

        _receiver.Answer(400);
    }

    /// <summary>Starts an exporter whose first periodic export gets no answer.</summary>
    private async Task<OtlpExporter> StartPeriodicExportAsync(TimeSpan interval)
    {
        _receiver.Answer(NeverAsync);
        OtlpExporter exporter = Exporter(options => options.Interval = interval);
        await TimerAsync(interval);
        _time.Advance(interval);
        await _receiver.WaitAsync();
        return exporter;
    }

    /// <summary>A clock with timestamps in another unit.</summary>
    private sealed class OtherUnit(ManualTime time, long frequency, long first) : TimeProvider
    {
        public override long TimestampFrequency => frequency;

        public override long GetTimestamp() => unchecked(first + (long)((Int128)time.GetTimestamp() * frequency / time.TimestampFrequency));

        public override DateTimeOffset GetUtcNow() => time.GetUtcNow();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) =>
            time.CreateTimer(callback, state, dueTime, period);
    }
}
