using System.Collections.Concurrent;
using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Microsoft.AspNetCore.Http;

namespace Picollo.Export.Tests;

/// <summary>Tests the exporter against a receiver that is slow, refuses, resets connections, requests a pause, and recovers. The tests
/// advance the time.</summary>
public sealed class OtlpExporterTests : OtlpTests
{
    private const ulong Cumulative = 2;
    private const string Protobuf = "application/x-protobuf";
    private const string Rejected = " rejected 1 of 1 data points.";
    private const string NotOtlp = " failed: the receiver returned the status code 200, but the body is not an OTLP response.";

    private readonly HdrHistogram _histogram;

    public OtlpExporterTests() => _histogram = _registry.GetOrAdd(
        "queue.wait",
        HdrHistogram.Create,
        HdrHistogramDescription.Nanoseconds with { Help = "Time in the queue." }, [new("queue", "orders")]);

    [Fact]
    public async Task A_histogram_arrives_with_its_resource_unit_and_buckets()
    {
        OtlpExporter exporter = Exporter(options =>
        {
            options.ResourceAttributes["service.name"] = "shop";
            options.Headers["Authorization"] = "Bearer 123";
        });
        _histogram.Record(0);
        _histogram.Record(1_000_000_000, 3);
        _histogram.Record(2_000_000_000);
        _time.Spend(TimeSpan.FromSeconds(5));
        using Activity activity = new Activity("around").Start();

        (await exporter.FlushAsync()).Should().BeTrue();

        (string path, IReadOnlyDictionary<string, string> headers, _) = _receiver.Requests.Single();
        path.Should().Be("/v1/metrics");
        headers.Should().Contain("Authorization", "Bearer 123").And.NotContainKey("Content-Encoding").And.Contain("Content-Type", "application/x-protobuf");
        headers.Should().NotContainKey("traceparent").And.NotContainKey("Request-Id");
        OtlpDataPoint point = _receiver.Points.Single();
        (point.Metric, point.Description, point.Unit, point.Temporality).Should().Be(("queue.wait", "Time in the queue.", "s", Cumulative));
        point.Attributes.Should().Equal(new Dictionary<string, string> { ["queue"] = "orders" });
        point.Resource.Should().Contain("service.name", "shop").And.ContainKey("service.instance.id");
        (point.Count, point.ZeroCount, point.Scale, point.ZeroThreshold).Should().Be((5UL, 1UL, 5, 0));
        point.Sum.Should().BeApproximately(5, 0.01);
        point.Buckets.Should().Equal(new Dictionary<int, ulong> { [-1] = 3, [31] = 1 });
        (point.Min, point.Max!.Value).Should().Be((0, _histogram.GetPercentileValue(100) / 1e9));
        (point.Time - point.StartTime).Should().Be(5_000_000_000);
        (exporter.ExportedCount, exporter.RejectedCount, exporter.LastError).Should().Be((1, 0, null));
    }

    [Theory]
    [InlineData(429)]
    [InlineData(502)]
    [InlineData(503)]
    [InlineData(504)]
    public async Task A_request_is_retried_with_backoff_until_the_receiver_recovers(int status)
    {
        OtlpExporter exporter = Exporter();
        _histogram.Record(1);
        _receiver.Answer(status);
        _receiver.Answer(status);

        List<TimeSpan> waits = await AdvanceAsync(exporter.FlushAsync(), expected: true);

        waits.Should().HaveCount(2);
        waits[0].TotalSeconds.Should().BeInRange(0.8, 1.2);
        waits[1].TotalSeconds.Should().BeInRange(1.6, 2.4);
        _receiver.Requests.Select(request => Convert.ToHexString(request.Body)).Distinct().Should().HaveCount(1, "it is the same request");
        _receiver.Requests.Should().HaveCount(3);
        exporter.ExportedCount.Should().Be(1);
        _errors.Should().BeEmpty("the export has succeeded");
    }

    [Fact]
    public async Task The_pause_that_a_receiver_requests_is_respected()
    {
        OtlpExporter exporter = Exporter();
        _histogram.Record(1);
        _receiver.Answer(429, "4");
        (await AdvanceAsync(exporter.FlushAsync(), expected: true)).Should().Equal(TimeSpan.FromSeconds(4));

        _receiver.Answer(503, _time.GetUtcNow().AddSeconds(3).ToString("R"));
        (await AdvanceAsync(exporter.FlushAsync(), expected: true)).Should().Equal(TimeSpan.FromSeconds(3));
    }

    [Theory]
    [InlineData(400, "; the receiver may accept only gRPC")]
    [InlineData(401)]
    [InlineData(404)]
    [InlineData(408)]
    [InlineData(500)]
    [InlineData(307)]
    public async Task Other_status_codes_are_not_retried_but_nothing_is_lost(int status, string hint = "")
    {
        OtlpExporter exporter = Exporter(options => options.UseDeltaTemporality = true);
        _histogram.Record(1, 2);
        _receiver.Answer(context =>
        {
            context.Response.StatusCode = status;
            context.Response.Headers.Location = "/elsewhere";
            return Task.CompletedTask;
        });

        (await AdvanceAsync(exporter.FlushAsync(), expected: false)).Should().BeEmpty();
        exporter.LastError.Should().BeOfType<HttpRequestException>().Which.StatusCode.Should().Be((HttpStatusCode)status);
        exporter.LastError!.Message.Should()
            .Be($"The export to {_receiver.Endpoint} failed: the receiver returned the status code {status}{hint}.");
        _errors.Should().Equal(exporter.LastError);
        _histogram.Record(1);
        (await exporter.FlushAsync()).Should().BeTrue();

        _receiver.Points.Select(point => point.Count).Should().Equal(2, 3);
        _receiver.Points.Select(point => point.StartTime).Distinct().Should().HaveCount(1);
        exporter.LastError.Should().BeNull();
        exporter.ExportedCount.Should().Be(1);
    }

    [Fact]
    public async Task A_receiver_that_refuses_connections_gets_everything_after_recovery()
    {
        using TcpListener free = new(IPAddress.Loopback, 0);
        free.Start();
        string address = $"http://{free.LocalEndpoint}";
        free.Stop();
        OtlpExporter exporter = Exporter(options => (options.Endpoint, options.UseDeltaTemporality) = (new(address + "/v1/metrics"), true));
        _histogram.Record(1, 3);
        (await AdvanceAsync(exporter.FlushAsync(), expected: false)).Should().HaveCountGreaterThanOrEqualTo(2);
        exporter.LastError!.Message.Should().Be($"The export to {address}/v1/metrics failed: ConnectionError (ConnectionRefused).");
        _histogram.Record(1, 4);

        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync(address);
        await AdvanceAsync(exporter.FlushAsync(), expected: true);

        receiver.Points.Single().Count.Should().Be(7);
    }

    [Fact]
    public async Task A_request_to_a_slow_receiver_is_retried_after_the_timeout()
    {
        OtlpExporter exporter = Exporter(
            options => (options.Interval, options.Timeout) = (TimeSpan.FromSeconds(60), TimeSpan.FromSeconds(8)));
        _histogram.Record(1);
        _receiver.Answer(NeverAsync);

        await TimerAsync(TimeSpan.FromSeconds(60));
        _time.Advance(TimeSpan.FromSeconds(60));
        await _receiver.WaitAsync();
        _time.Advance(TimeSpan.FromSeconds(8));
        await TimerAsync(TimeSpan.FromSeconds(1.2));
        _time.Advance(TimeSpan.FromSeconds(1.2));
        await _receiver.WaitAsync();

        _receiver.Requests.Select(request => Convert.ToHexString(request.Body)).Distinct().Should().HaveCount(1, "it is the same request");
        exporter.RejectedCount.Should().Be(0);
    }

    [Fact]
    public async Task The_timer_exports_at_each_interval_and_later_exports_contain_failed_ones()
    {
        OtlpExporter exporter = Exporter(options =>
        {
            options.Interval = TimeSpan.FromSeconds(10);
            options.UseDeltaTemporality = true;
        });
        for (ulong i = 1; i <= 3; i++)
        {
            await TimerAsync(TimeSpan.FromSeconds(10));
            _histogram.Record(1, i);
            if (i == 2)
            {
                _receiver.Answer(400);
            }

            _time.Advance(_time.UntilNext!.Value);
            await _receiver.WaitAsync();
        }

        await TimerAsync(TimeSpan.FromSeconds(10));
        _receiver.Points.Select(point => point.Count).Should().Equal(1, 2, 5);
        _receiver.Points.Select(point => point.Min).Should().Equal([1e-9, null, null], "the extremes of a later delta are unknown");
        _errors.Should().HaveCount(1);
    }

    [Fact]
    public async Task Exports_missed_during_a_pause_of_the_process_are_skipped()
    {
        Exporter(options => options.Interval = TimeSpan.FromSeconds(10));
        await TimerAsync(TimeSpan.FromSeconds(10));
        _time.Spend(TimeSpan.FromSeconds(95));
        _time.Advance(TimeSpan.Zero);
        await _receiver.WaitAsync();
        await TimerAsync(TimeSpan.FromSeconds(10));
        _time.Advance(TimeSpan.FromSeconds(10));
        await _receiver.WaitAsync();

        _receiver.Points.Select(point => (point.Time - point.StartTime) / 1_000_000_000).Should().Equal(95, 105);
    }

    [Fact]
    public async Task A_cumulative_point_has_one_start_until_the_histogram_is_reset()
    {
        OtlpExporter exporter = Exporter();
        foreach (Action change in new Action[] { () => _histogram.Record(5, 3), () => _histogram.Record(5), _histogram.Reset, () => _histogram.Record(7) })
        {
            _time.Spend(TimeSpan.FromSeconds(1));
            change();
            (await exporter.FlushAsync()).Should().BeTrue();
        }

        OtlpDataPoint[] points = [.. _receiver.Points];
        points.Select(point => point.Count).Should().Equal(3, 4, 0, 1);
        points[1].StartTime.Should().Be(points[0].StartTime);
        points[2].StartTime.Should().Be(points[1].Time, "the earlier values are lost");
        points[3].StartTime.Should().Be(points[2].StartTime);
        (points[2].Min, points[2].Max, points[3].Min, points[3].Max).Should().Be((null, null, 7e-9, 7e-9));
    }

    [Fact]
    public async Task A_reset_is_detected_even_if_there_are_more_values_than_before()
    {
        OtlpExporter exporter = Exporter(options => options.UseDeltaTemporality = true);
        _histogram.Record(5, 3);
        (await exporter.FlushAsync()).Should().BeTrue();
        _histogram.Reset();
        _histogram.Record(5, 4);
        (await exporter.FlushAsync()).Should().BeTrue();

        _receiver.Points.Select(point => point.Count).Should().Equal(3, 4);
    }

    [Fact]
    public async Task Deltas_add_up_to_the_recorded_values_whatever_fails() => await Task.WhenAll(Enumerable.Range(0, 4).Select(async seed =>
    {
        Random random = new(seed);
        ManualTime time = new(DateTimeOffset.UnixEpoch.AddYears(50));
        HdrHistogramRegistry registry = new();
        HdrHistogram[] histograms = [.. Enumerable.Range(0, 20).Select(i => registry.GetOrAdd("x", HdrHistogram.Create, HdrHistogramDescription.None, [new("i", $"{i}")]))];
        await using OtlpReceiver receiver = await OtlpReceiver.StartAsync();
        OtlpExporter exporter = OtlpExporter.Start(registry, new() { Endpoint = receiver.Endpoint, UseDeltaTemporality = true, UseExponentialHistograms = seed % 2 == 0, TimeProvider = time, Interval = Rarely, Timeout = RequestTimeout });
        ConcurrentQueue<OtlpDataPoint> accepted = new();
        for (int round = 0; round < 30; round++)
        {
            foreach (HdrHistogram histogram in histograms.Where(_ => random.Next(2) == 0))
            {
                histogram.Record((ulong)random.NextInt64(1L << random.Next(1, 40)), (ulong)random.Next(1, 100));
            }

            int failures = random.Next(3);
            for (int i = 0; i < failures; i++)
            {
                int status = random.Next(3) switch { 0 => 0, 1 => 400, _ => 503 };
                receiver.Answer(status > 0 ? context => Task.FromResult(context.Response.StatusCode = status) : Reset);
            }

            receiver.Answer(Accept);
            Task<bool> flush = exporter.FlushAsync();
            await AdvanceAsync(flush, time);
            for (; failures > 0 && !await flush; failures--)
            {
                flush = exporter.FlushAsync();
                await AdvanceAsync(flush, time);
            }

            receiver.Answer(Accept); // not needed after a round without new values
        }

        for (int i = 0; i < 100; i++)
        {
            receiver.Answer(Accept);
        }

        await exporter.DisposeAsync();

        for (int i = 0; i < histograms.Length; i++)
        {
            OtlpDataPoint[] own = [.. accepted.Where(point => point.Attributes["i"] == $"{i}")];
            own.Aggregate(0UL, (sum, point) => sum + point.Count).Should().Be(histograms[i].TotalCount);
            own.Sum(point => point.Sum).Should().BeApproximately(histograms[i].GetSummary().Sum, 1e-6 * histograms[i].GetSummary().Sum);
            own.Should().OnlyContain(point => point.Count == point.ZeroCount + point.Buckets.Values.Aggregate(0UL, (sum, count) => sum + count));
            own.Skip(1).Select(point => point.StartTime).Should().Equal(own.SkipLast(1).Select(point => point.Time));
        }

        static Task Reset(HttpContext context)
        {
            context.Abort();
            return Task.CompletedTask;
        }

        Task Accept(HttpContext context)
        {
            foreach (OtlpDataPoint point in OtlpDataPoint.Read(receiver.Requests.Last().Body))
            {
                accepted.Enqueue(point);
            }

            return Task.CompletedTask;
        }
    }));

    [Fact]
    [Trait("Category", "Slow")]
    public async Task Thousands_of_series_are_sent_in_requests_of_a_thousand_and_only_failed_ones_are_repeated()
    {
        for (int i = 1; i < 3_000; i++)
        {
            _registry.GetOrAdd("queue.wait", HdrHistogram.Create, HdrHistogramDescription.Nanoseconds with { Help = "Time in the queue." }, [new("queue", $"{i}")]).Record((ulong)i);
        }

        _histogram.Record(1);
        OtlpExporter exporter = Exporter(options => options.UseDeltaTemporality = true);
        _receiver.Answer(200);
        _receiver.Answer(400);

        (await exporter.FlushAsync()).Should().BeFalse();
        _receiver.Requests.Should().HaveCount(3);
        _receiver.Requests.Should().OnlyContain(request => OtlpDataPoint.Read(request.Body).Count == 1_000);
        _receiver.Requests.Should().OnlyContain(
            request => new ProtobufMessage(request.Body).Message(1).Message(2).Messages(2).Count() == 1, "all points belong to one metric");
        exporter.ExportedCount.Should().Be(2_000);

        (await exporter.FlushAsync()).Should().BeTrue();
        _receiver.Requests.Should().HaveCount(4);
        exporter.ExportedCount.Should().Be(3_000);
        _receiver.Points.Select(point => point.Attributes["queue"]).Distinct().Should().HaveCount(3_000);
    }

    [Fact]
    public async Task Remaining_requests_are_not_sent_if_the_receiver_requests_a_pause()
    {
        for (int i = 0; i < 1_000; i++)
        {
            _registry.GetOrAdd("x", () => HdrHistogram.Create(), HdrHistogramDescription.None, [new("i", $"{i}")]);
        }

        OtlpExporter exporter = Exporter();
        _receiver.Answer(429, "60");

        (await exporter.FlushAsync()).Should().BeFalse();

        _receiver.Requests.Should().HaveCount(1, "a second request is pending");
        _time.Advance(TimeSpan.FromSeconds(60));
        (await exporter.FlushAsync()).Should().BeTrue();
        _receiver.Requests.Should().HaveCount(3);

        _receiver.Answer(context => context.Response.Body.WriteAsync(new byte[] { 0x0A, 0x02, 0x08, 0x01 }).AsTask());
        (await exporter.FlushAsync()).Should().BeFalse("the first of two requests was accepted in part");
        (_receiver.Requests.Count, exporter.RejectedCount).Should().Be((5, 1));
    }

    [Fact]
    public void Removed_histograms_that_were_not_accepted_are_kept_up_to_a_limit()
    {
        HdrHistogramRegistration[] all =
            [.. Enumerable.Range(0, OtlpCollector.MaxRemovedSeries + 1).Select(i => new HdrHistogramRegistration($"x{i}", _histogram, HdrHistogramDescription.None, []))];
        OtlpCollector collector = new(() => all, new OtlpBuckets(usesExponential: true, new Dictionary<string, double[]>()), isDelta: false, _time);
        collector.Collect().Should().HaveCount(all.Length);
        all = [];
        collector.Collect().Should().HaveCount(OtlpCollector.MaxRemovedSeries);
        collector.Accept(collector.Collect().Take(1));
        collector.Collect().Should().HaveCount(OtlpCollector.MaxRemovedSeries - 1);
    }

    [Fact]
    public async Task Histograms_of_one_name_with_different_descriptions_are_separate_metrics()
    {
        HdrHistogramRegistration other = new("queue.wait", _histogram, new() { Unit = new() { Name = "bytes" } }, []);
        OtlpExporter exporter = new(() => [.. _registry.Registrations, other], new() { Endpoint = _receiver.Endpoint }, _ => null, null);
        _exporters.Add(exporter);

        (await exporter.FlushAsync()).Should().BeTrue();
        _receiver.Points.Select(point => point.Unit).Should().Equal("s", "By");
    }

    [Fact]
    public async Task A_removed_histogram_is_exported_once_more_and_then_dropped()
    {
        foreach (bool isDelta in new[] { false, true })
        {
            OtlpExporter exporter = Exporter(options => options.UseDeltaTemporality = isDelta);
            WeakReference removed = AddHistogram();
            (await exporter.FlushAsync()).Should().BeTrue();
            _registry.Remove("removed").Should().BeTrue();
            (await exporter.FlushAsync()).Should().BeTrue();
            (await exporter.FlushAsync()).Should().BeTrue();

            _receiver.Points.Count(point => point.Metric == "removed").Should().Be(isDelta ? 3 : 2);
            for (int i = 0; i < 100 && removed.IsAlive; i++)
            {
                GC.Collect();
                await Task.Delay(10);
            }

            removed.IsAlive.Should().BeFalse();
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        WeakReference AddHistogram()
        {
            HdrHistogram histogram = _registry.GetOrAdd("removed", () => HdrHistogram.Create());
            histogram.Record(1);
            return new WeakReference(histogram);
        }
    }

    [Fact]
    public async Task Points_with_values_out_of_range_have_no_extremes_and_units_are_UCUM_codes()
    {
        OtlpExporter exporter = Exporter();
        foreach ((string unit, ulong[] values) in new[] { ("bytes", new ulong[] { 9, 100 }), ("ratio", [100, 5_000]), ("apples", [100, 200]) })
        {
            _registry.GetOrAdd(unit, () => HdrHistogram.Factory.WithMinTrackableValue(10).WithMaxTrackableValue(1_000).Create(), new HdrHistogramDescription { Unit = new() { Name = unit } }).Record(values);
        }

        (await exporter.FlushAsync()).Should().BeTrue();

        _receiver.Points.Where(point => point.Metric != "queue.wait")
            .Select(point => (point.Unit, point.Min, point.Max, point.Count, point.ZeroThreshold)).Should().BeEquivalentTo(
        [
            ("By", (double?)null, (double?)100, 2UL, 9.0), ("1", 100, null, 2UL, 9.0), ("apples", 100, 200, 2UL, 9.0),
        ]);
    }

    [Theory]
    [InlineData(false, new[] { 0, 5, 7.5, 8.5, 8.5, 2, 2 }, new ulong[] { 0, 0, 0, 0, 0, 5, 5 })]
    [InlineData(true, new[] { 5, 2.5, 3.5, 2 }, new ulong[] { 0, 2, 2, 5 })]
    public async Task Counters_are_monotonic_sums_since_their_start_or_since_the_last_accepted_export(bool isDelta, double[] sums, ulong[] starts)
    {
        OtlpMetric metric = new("shop.time", "Time in a shop.", "seconds", OtlpKind.Counter);
        List<PrometheusSample> samples = [];
        OtlpExportOptions options = new() { Endpoint = _receiver.Endpoint, Interval = Rarely, TimeProvider = _time, UseDeltaTemporality = isDelta };
        ulong start = (ulong)_time.GetUtcNow().ToUnixTimeSeconds();
        OtlpExporter exporter = new(() => [], options, _ => null, null, () => [new(metric, [.. samples])]);
        _exporters.Add(exporter);
        foreach ((double value, bool isAccepted) in ((double, bool)[])[(0, true), (5, true), (7.5, false), (8.5, true), (8.5, true), (2, true)])
        {
            _time.Spend(TimeSpan.FromSeconds(1));
            samples = [new(value, [new("state", "b")]), new(1, [new("state", "a")])]; // 2 after 8.5: it has been reset
            if (!isAccepted)
            {
                _receiver.Answer(400);
            }

            (await exporter.FlushAsync()).Should().Be(isAccepted);
        }

        samples.Clear();
        (await exporter.FlushAsync()).Should().BeTrue();
        (await exporter.FlushAsync()).Should().BeTrue();
        OtlpDataPoint[] points = [.. _receiver.Points.Where(point => point.Attributes["state"] == "b")];
        points.Should().OnlyContain(point => point.Metric == "shop.time" && point.Description == "Time in a shop." && point.Unit == "s" && point.IsCounter);
        points.Select(point => point.Temporality).Distinct().Should().Equal(isDelta ? 1 : Cumulative);
        points.Select(point => point.Sum).Should().Equal(sums);
        points.Select(point => (point.StartTime / 1_000_000_000) - start).Should().Equal(starts);
        _receiver.Points.Count(point => point.Attributes["state"] == "a").Should().Be(isDelta ? 1 : 7);
    }

    [Fact]
    public async Task Each_export_has_a_later_time_even_if_the_clock_is_set_back()
    {
        OtlpExporter exporter = Exporter();
        for (int i = 0; i < 3; i++)
        {
            _time.SetClock(_time.GetUtcNow().AddHours(-1));
            (await exporter.FlushAsync()).Should().BeTrue();
        }

        _receiver.Points.Select(point => point.Time / 1_000_000).Should().OnlyHaveUniqueItems().And.BeInAscendingOrder();
    }

    [Fact]
    public async Task The_timer_continues_after_any_exception()
    {
        int calls = 0;
        OtlpExportOptions options = new()
        {
            Endpoint = _receiver.Endpoint,
            Interval = TimeSpan.FromSeconds(10),
            TimeProvider = _time,
            OnError = _errors.Enqueue,
        };
        OtlpExporter exporter = new(() => ++calls == 1 ? throw new OperationCanceledException() : _registry.Registrations, options, _ => null, null);
        _exporters.Add(exporter);
        _histogram.Record(1);
        await TimerAsync(TimeSpan.FromSeconds(10));
        _time.Advance(TimeSpan.FromSeconds(10));
        while (_errors.IsEmpty)
        {
            await Task.Delay(1);
        }

        await TimerAsync(TimeSpan.FromSeconds(10));
        _time.Advance(TimeSpan.FromSeconds(10));
        await _receiver.WaitAsync();

        _receiver.Points.Should().ContainSingle();
    }

    /// <summary>Field 15 is unknown, so that its first byte is 0x78 plus the wire type.</summary>
    [Theory]
    [InlineData(200, null, "", null), InlineData(200, "text/html", "", null), InlineData(200, "text/plain; charset=utf-8", "", null)]
    [InlineData(200, "text/plain; charset=utf-8", "OK", null), InlineData(200, null, "OK", null), InlineData(204, null, "", null)]
    [InlineData(200, "application/octet-stream", "\x0A\x00", null), InlineData(200, "Application/X-Protobuf", "", null)]
    [InlineData(200, "application/protobuf", "\x0A\x00", null), InlineData(200, null, "\x0A\x00", null)]
    [InlineData(200, "application/json", "{\"partialSuccess\":{}}", null)]
    [InlineData(202, "application/json; charset=utf-8", "\"OK\"", null)]
    [InlineData(200, Protobuf, "\x0A\x06\x08\x01\x12\x02no", Rejected)]
    [InlineData(200, Protobuf, "\x0A\x02\x08\x05", Rejected)] // more than were sent
    [InlineData(200, Protobuf, "\x78\xFF\xFF\x7F\x0A\x06\x78\xFF\xFF\x7F\x08\x01", Rejected)]
    [InlineData(200, Protobuf, "\x79\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x0A\x0B\x79\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x08\x01", Rejected)]
    [InlineData(200, Protobuf, "\x7A\x03\xFF\xFF\xFF\x0A\x07\x7A\x03\xFF\xFF\xFF\x08\x01", Rejected)]
    [InlineData(200, Protobuf, "\x7D\xFF\xFF\xFF\xFF\x0A\x07\x7D\xFF\xFF\xFF\xFF\x08\x01", Rejected)]
    [InlineData(200, "text/html; charset=utf-8", "<!doctype html><title>Sign in</title>", NotOtlp)]
    [InlineData(200, "text/html", "Sign in", NotOtlp)]
    [InlineData(200, "text/plain", "\r\n <html></html>", NotOtlp), InlineData(200, null, "<html></html>", NotOtlp)]
    [InlineData(200, Protobuf, "<html></html>", NotOtlp), InlineData(200, Protobuf, "\x0A\x06\x08", NotOtlp)]
    [InlineData(200, Protobuf, "\x0A\x02\x08\x81", NotOtlp)]
    public async Task The_body_of_a_successful_response_decides_about_success(int status, string? type, string body, string? error)
    {
        OtlpExporter exporter = Exporter(options => (options.UseDeltaTemporality, options.UseExponentialHistograms) = (true, false));
        _histogram.Record(1);
        _receiver.Answer(context =>
        {
            context.Response.StatusCode = status;
            context.Response.ContentType = type;
            return context.Response.Body.WriteAsync(Encoding.Latin1.GetBytes(body)).AsTask();
        });

        (await exporter.FlushAsync()).Should().Be(error is null);
        _receiver.Requests.Should().ContainSingle("it is not sent again before the next export");
        (exporter.ExportedCount, exporter.RejectedCount).Should().Be((error is null ? 1 : 0, error == Rejected ? 1 : 0));
        string? expected =
            error is null ? null : error == Rejected ? $"{_receiver.Endpoint}{error}" : $"The export to {_receiver.Endpoint}{error}";
        exporter.LastError?.Message.Should().Be(expected);
        (exporter.LastError is null).Should().Be(error is null);
        (await exporter.FlushAsync()).Should().BeTrue();
        _receiver.Points.Sum(point => (int)point.Count).Should().Be(error == NotOtlp ? 2 : 1, "only what was not received is sent again");
    }

    [Fact]
    public async Task Disposal_exports_the_remaining_values_including_those_of_removed_histograms()
    {
        OtlpExporter exporter = Exporter(options => options.UseDeltaTemporality = true);
        _histogram.Record(1);
        (await exporter.FlushAsync()).Should().BeTrue();
        _histogram.Record(1, 5);
        _registry.Remove("queue.wait", [new("queue", "orders")]).Should().BeTrue();

        Task first = exporter.DisposeAsync().AsTask(), second = exporter.DisposeAsync().AsTask();

        second.Should().BeSameAs(first, "disposing again waits for the same export");
        await first;
        _receiver.Points.Select(point => point.Count).Should().Equal(1, 5);
        await exporter.DisposeAsync();
        _receiver.Requests.Should().HaveCount(2);
        await exporter.Invoking(one => one.FlushAsync()).Should().ThrowAsync<ObjectDisposedException>();
    }

    [Fact]
    public async Task The_last_export_does_not_wait_for_the_backoff_of_an_earlier_one()
    {
        TimeSpan interval = TimeSpan.FromSeconds(20);
        OtlpExporter exporter = Exporter(options => options.Interval = interval);
        _histogram.Record(1);
        for (int sent = 0; sent < 5; sent++) // backoffs of 1, 2, 4 and 8 s, each ± 20 %; the next one, of 16 s, always ends after the interval
        {
            _receiver.Answer(503);
            await (sent == 0 ? TimerAsync(interval) : UntilAsync(() => _time.HasPending(below: interval / 2))); // the interval also has a timer
            _time.Advance(_time.UntilNext!.Value);
            await _receiver.WaitAsync();
        }

        await UntilAsync(() => !_errors.IsEmpty);
        await TimerAsync(interval);
        _errors.Should().ContainSingle().Which.Message.Should().Contain("503");

        await exporter.DisposeAsync(); // at the same time, because the receiver requested no wait

        exporter.ExportedCount.Should().Be(1);
        _receiver.Requests.Should().HaveCount(6);
    }

    [Theory]
    [InlineData("Dispose")]
    [InlineData("DisposeAsync")]
    [InlineData("FlushAsync")]
    [InlineData("throw")]
    public async Task The_callback_of_the_application_may_call_the_exporter_or_throw(string call)
    {
        OtlpExporter? exporter = null;
        bool? flushed = null;
        exporter = Exporter(options => options.OnError = error =>
        {
            switch (call)
            {
                case "Dispose":
                    exporter!.Dispose();
                    break;
                case "DisposeAsync":
                    exporter!.DisposeAsync().AsTask().ContinueWith(_ => { }, TaskScheduler.Default);
                    break;
                case "throw":
                    throw new InvalidOperationException();
                default:
                    flushed = exporter!.FlushAsync().GetAwaiter().GetResult();
                    break;
            }
        });
        _histogram.Record(1);
        _receiver.Answer(400);

        (await exporter.FlushAsync()).Should().BeFalse();

        flushed.Should().Be(call == "FlushAsync" ? true : null);
        await exporter.DisposeAsync();
        _receiver.Points.Last().Count.Should().Be(1);
    }

    [Fact]
    public async Task An_exporter_can_be_created_while_execution_context_flow_is_suppressed()
    {
        OtlpExporter exporter;
        using (ExecutionContext.SuppressFlow())
        {
            exporter = Exporter();
        }

        (await exporter.FlushAsync()).Should().BeTrue();
    }

    [Fact]
    public async Task The_exporter_does_not_run_in_the_context_of_its_creator()
    {
        AsyncLocal<string?> request = new() { Value = "request" };
        ContextTime time = new(request);

        await using OtlpExporter exporter = OtlpExporter.Start(new HdrHistogramRegistry(), new() { TimeProvider = time });

        (await time.FirstTimer.Task).Should().BeNull();
    }

    [Fact]
    public async Task A_flush_that_is_canceled_throws_and_loses_nothing()
    {
        OtlpExporter exporter = Exporter(options => options.UseDeltaTemporality = true);
        _histogram.Record(1);
        _receiver.Answer(NeverAsync);
        using CancellationTokenSource cancel = new();

        Task<bool> flush = exporter.FlushAsync(cancel.Token);
        await _receiver.WaitAsync();
        await cancel.CancelAsync();

        await flush.Invoking(task => task).Should().ThrowAsync<OperationCanceledException>();
        (await exporter.FlushAsync()).Should().BeTrue();
        _receiver.Points.Last().Count.Should().Be(1);
    }

    [Theory]
    [InlineData("s3cr3t")]
    [InlineData("Basic dXNlcjpwYXNz")]
    public async Task Errors_contain_no_header_values_even_if_the_receiver_repeats_them(string secret)
    {
        using TcpListener echo = new(IPAddress.Loopback, 0);
        echo.Start();
        using CancellationTokenSource stop = new();
        string[] answers =
        [
            $"HTTP/1.1 400 {secret}\r\nContent-Length: {secret.Length}\r\nConnection: close\r\n\r\n{secret}",
            $"{secret} {secret}\r\n\r\n",
            $"HTTP/1.1 200 OK\r\n{secret}\r\n\r\n",
        ];
        Task serving = Task.Run(async () =>
        {
            for (int i = 0; !stop.IsCancellationRequested; i++)
            {
                using TcpClient client = await echo.AcceptTcpClientAsync(stop.Token);
                NetworkStream stream = client.GetStream();
                byte[] request = new byte[1 << 16];
                int length = 0;
                while (!Encoding.Latin1.GetString(request, 0, length).Contains("\r\n\r\n", StringComparison.Ordinal))
                {
                    length += await stream.ReadAsync(request.AsMemory(length), stop.Token);
                }

                await stream.WriteAsync(Encoding.ASCII.GetBytes(answers[Math.Min(i, answers.Length - 1)]), stop.Token);
                client.Client.Shutdown(SocketShutdown.Send);
                while (await stream.ReadAsync(request, stop.Token) > 0)
                {
                }
            }
        });
        OtlpExporter exporter = Exporter(options =>
        {
            options.Endpoint = new Uri($"http://{echo.LocalEndpoint}/v1/metrics?key={Uri.EscapeDataString(secret)}");
            options.Headers["Authorization"] = secret;
            options.Timeout = TimeSpan.FromSeconds(20);
        });
        (await exporter.FlushAsync()).Should().BeFalse();
        await AdvanceAsync(exporter.FlushAsync(), expected: false);
        await stop.CancelAsync();
        await serving.ContinueWith(_ => { }, TaskScheduler.Default);

        _errors.Should().HaveCount(2);
        foreach (Exception error in _errors)
        {
            error.ToString().Should().NotContain(secret).And.NotContain("dXNlcjpwYXNz").And.NotContain("key=");
            error.InnerException.Should().BeNull();
        }
    }

    /// <summary>Advances the time to each backoff and pause until a flush completes. Returns the waits.</summary>
    /// <summary>Keeps the value that the thread of the first timer has.</summary>
    private sealed class ContextTime(AsyncLocal<string?> value) : TimeProvider
    {
        public TaskCompletionSource<string?> FirstTimer { get; } = new();

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
        {
            FirstTimer.TrySetResult(value.Value);
            return base.CreateTimer(callback, state, dueTime, period);
        }
    }
}
