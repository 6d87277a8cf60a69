using Microsoft.AspNetCore.Http;

namespace Picollo.Export.Tests;

/// <summary>Tests gRPC with a server that has only HTTP/2, without TLS. The tests advance the time.</summary>
public sealed class OtlpGrpcTests : OtlpTests
{
    private const string Unavailable = "14";
    private const string ResourceExhausted = "8";

    // google.rpc.Status with a RetryInfo: Status { code = 14, details = [Any { type_url, value = RetryInfo { retry_delay } }] }.
    private static readonly byte[] TypeUrl = "type.googleapis.com/google.rpc.RetryInfo"u8.ToArray();

    private readonly HdrHistogram _histogram;

    public OtlpGrpcTests() => _histogram = _registry.GetOrAdd("queue.wait", HdrHistogram.Create, HdrHistogramDescription.Nanoseconds);

    private protected override bool UsesGrpc => true;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_histogram_arrives_by_a_gRPC_call(bool useGzip)
    {
        OtlpExporter exporter = Exporter(options =>
        {
            options.Endpoint = new Uri(_receiver.Address, "ignored/path");
            options.UseGzip = useGzip;
            options.Headers["Api-Key"] = "123";
            options.Timeout = TimeSpan.FromSeconds(3);
        });
        _histogram.Record(1_000_000_000, 3);

        (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);

        (string path, IReadOnlyDictionary<string, string> headers, _) = _receiver.Requests.Single();
        path.Should().Be("/opentelemetry.proto.collector.metrics.v1.MetricsService/Export");
        headers.Should().Contain("Content-Type", "application/grpc").And.Contain("TE", "trailers").And.Contain("api-key", "123")
            .And.Contain("grpc-timeout", "3000m");
        headers.GetValueOrDefault("grpc-encoding").Should().Be(useGzip ? "gzip" : null);
        OtlpDataPoint point = _receiver.Points.Single();
        (point.Metric, point.Count).Should().Be(("queue.wait", 3UL));
        (exporter.ExportedCount, exporter.RejectedCount).Should().Be((1, 0));
    }

    // https://opentelemetry.io/docs/specs/otlp/#failures
    [Theory]
    [InlineData("1", "CANCELLED", true)]
    [InlineData("2", "UNKNOWN", false)]
    [InlineData("3", "INVALID_ARGUMENT", false)]
    [InlineData("4", "DEADLINE_EXCEEDED", true)]
    [InlineData("5", "NOT_FOUND", false)]
    [InlineData("6", "ALREADY_EXISTS", false)]
    [InlineData("7", "PERMISSION_DENIED", false)]
    [InlineData("8", "RESOURCE_EXHAUSTED", false)]
    [InlineData("9", "FAILED_PRECONDITION", false)]
    [InlineData("10", "ABORTED", true)]
    [InlineData("11", "OUT_OF_RANGE", true)]
    [InlineData("12", "UNIMPLEMENTED", false)]
    [InlineData("13", "INTERNAL", false)]
    [InlineData("14", "UNAVAILABLE", true)]
    [InlineData("15", "DATA_LOSS", true)]
    [InlineData("16", "UNAUTHENTICATED", false)]
    [InlineData("99", "99", false)]
    public async Task Only_the_codes_of_the_specification_are_retried(string code, string name, bool mayRetry)
    {
        OtlpExporter exporter = Exporter();
        _histogram.Record(1);
        foreach (byte[]? message in new[] { null, Array.Empty<byte>() })
        {
            for (int i = 0; i < (mayRetry ? 3 : 1); i++)
            {
                _receiver.AnswerGrpc(code, message: message);
            }

            List<TimeSpan> waits = await AdvanceAsync(exporter.FlushAsync(), expected: false);

            waits.Should().HaveCount(mayRetry ? 2 : 0);
            exporter.LastError!.Message.Should().Be(
                $"The export to {_receiver.Address}opentelemetry.proto.collector.metrics.v1.MetricsService/Export failed: "
                + $"the receiver returned the gRPC status {name}.");
        }

        (await exporter.FlushAsync()).Should().BeTrue();
        exporter.ExportedCount.Should().Be(1);
    }

    [Theory]
    [InlineData(ResourceExhausted, 4, 4)]
    [InlineData(Unavailable, 4, 4)]
    public async Task The_wait_of_RetryInfo_is_respected(string status, long seconds, double expected)
    {
        OtlpExporter exporter = Exporter();
        foreach (bool isPadded in new[] { true, false })
        {
            _receiver.AnswerGrpc(status, Details(seconds, 0, isPadded));

            (await AdvanceAsync(exporter.FlushAsync(), expected: true)).Should().Equal(TimeSpan.FromSeconds(expected));
        }
    }

    [Theory]
    [InlineData(ResourceExhausted, 0)]
    [InlineData(ResourceExhausted, -5)]
    [InlineData(Unavailable, 0)]
    [InlineData(Unavailable, long.MinValue)]
    public async Task A_receiver_that_requests_no_wait_gets_one_request_after_each_backoff(string status, long seconds)
    {
        for (int i = 0; i < 100; i++)
        {
            _receiver.AnswerGrpc(status, Details(seconds));
        }

        OtlpExporter exporter = Exporter();

        (await AdvanceAsync(exporter.FlushAsync(), expected: false)).Should().HaveCount(2);
        _receiver.Requests.Should().HaveCount(3);
    }

    [Theory]
    [InlineData(601)]
    [InlineData(long.MaxValue)]
    public async Task A_receiver_that_requests_a_long_wait_gets_the_next_request_after_ten_minutes(long seconds)
    {
        _receiver.AnswerGrpc(Unavailable, Details(seconds));
        OtlpExporter exporter = Exporter();

        (await exporter.FlushAsync()).Should().BeFalse();
        _time.Advance(TimeSpan.FromSeconds(594));
        (await exporter.FlushAsync()).Should().BeFalse();
        _receiver.Requests.Should().ContainSingle();
        _time.Advance(TimeSpan.FromSeconds(6));
        (await exporter.FlushAsync()).Should().BeTrue();
    }

    [Fact]
    public async Task Rejected_points_are_counted()
    {
        OtlpExporter exporter = Exporter();
        _receiver.AnswerGrpc("0", message: [0x0A, 0x02, 0x08, 0x01]);

        (await exporter.FlushAsync()).Should().BeFalse();

        exporter.RejectedCount.Should().Be(1);
        exporter.LastError!.Message.Should().Contain(" rejected 1 of 1 data points. ").And.EndWith("DEFAULT_HISTOGRAM_AGGREGATION to explicit_bucket_histogram.");
    }

    [Fact]
    public async Task A_response_that_is_not_of_gRPC_is_a_failure()
    {
        OtlpExporter exporter = Exporter();
        _histogram.Record(1);
        _receiver.Answer(context => context.Response.WriteAsync("no status"));
        await FailsAsync("the response has no gRPC status.");

        _receiver.Answer(context =>
        {
            context.Response.ContentType = "text/html";
            return context.Response.WriteAsync("<html>");
        });
        await FailsAsync("the receiver returned the status code 200, but the body is not a gRPC response.");

        _receiver.AnswerGrpc("OK");
        await FailsAsync("the response has no gRPC status.");

        _receiver.AnswerGrpc("0", message: [0x0A, 0x7F]);
        await FailsAsync("the body is not an OTLP response.");

        _receiver.Answer(404);
        await FailsAsync("the receiver returned the status code 404.");
        exporter.ExportedCount.Should().Be(0);

        async Task FailsAsync(string reason)
        {
            (await AdvanceAsync(exporter.FlushAsync(), expected: false)).Should().BeEmpty("it is not retried");
            exporter.LastError!.Message.Should().EndWith(" failed: " + reason);
        }
    }

    [Fact]
    public async Task The_status_code_of_a_proxy_is_retried_after_its_wait()
    {
        OtlpExporter exporter = Exporter();
        _receiver.Answer(503, "4");

        (await AdvanceAsync(exporter.FlushAsync(), expected: true)).Should().Equal(TimeSpan.FromSeconds(4));
    }

    [Fact]
    public async Task A_receiver_without_HTTP_2_is_a_failure()
    {
        await using OtlpReceiver http = await OtlpReceiver.StartAsync();
        OtlpExporter exporter = Exporter(options => options.Endpoint = http.Address);

        await AdvanceAsync(exporter.FlushAsync(), expected: false);

        exporter.LastError!.Message.Should().EndWith("; the receiver may not support HTTP/2, which gRPC requires.");
        http.Requests.Should().BeEmpty();
    }

    [Fact]
    public async Task A_connection_without_a_response_is_not_used_again()
    {
        List<string> connections = [];
        _receiver.Answer(context =>
        {
            connections.Add(context.Connection.Id);
            return NeverAsync(context);
        });
        _receiver.Answer(context =>
        {
            connections.Add(context.Connection.Id);
            context.Response.Headers["grpc-status"] = "0";
            return Task.CompletedTask;
        });
        OtlpExporter exporter = Exporter();
        Task<bool> flush = exporter.FlushAsync();
        await _receiver.WaitAsync();
        _time.Advance(TimeSpan.FromSeconds(5));
        (await flush).Should().BeFalse();

        (await exporter.FlushAsync()).Should().BeTrue();

        connections.Should().HaveCount(2).And.OnlyHaveUniqueItems();
    }

    [Fact]
    public async Task A_response_whose_body_has_no_end_is_a_failure()
    {
        TaskCompletionSource end = new();
        _receiver.Answer(async context =>
        {
            context.RequestAborted.Register(end.SetResult);
            while (!context.RequestAborted.IsCancellationRequested)
            {
                await context.Response.Body.WriteAsync(new byte[10_000]);
            }
        });
        OtlpExporter exporter = Exporter();

        (await exporter.FlushAsync().WaitAsync(TimeSpan.FromSeconds(20))).Should().BeFalse();

        exporter.LastError!.Message.Should().EndWith("the response has no gRPC status.");
        await end.Task.WaitAsync(TimeSpan.FromSeconds(20)); // the stream is reset
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_stream_that_is_reset_is_retried(bool hasHeaders)
    {
        _receiver.Answer(async context =>
        {
            if (hasHeaders)
            {
                await context.Response.Body.FlushAsync();
            }

            context.Abort();
        });
        OtlpExporter exporter = Exporter();

        (await AdvanceAsync(exporter.FlushAsync(), expected: true)).Should().ContainSingle();
    }

    [Fact]
    public async Task The_status_in_the_trailers_takes_precedence_over_the_one_in_the_headers()
    {
        foreach ((string inHeaders, string inTrailers) in new[] { ("0", "3"), ("3", "0") })
        {
            _receiver.Answer(async context =>
            {
                context.Response.Headers["grpc-status"] = inHeaders;
                await context.Response.Body.WriteAsync(new byte[5]);
                context.Response.AppendTrailer("grpc-status", inTrailers);
            });

            await AdvanceAsync(Exporter().FlushAsync(), expected: inTrailers == "0");
        }
    }

    [Theory]
    [InlineData(0.001, "1m")]
    [InlineData(99_999.999, "99999999m")]
    [InlineData(100_000, "100000S")]
    [InlineData(49 * 86_400, "4233600S")]
    public void The_timeout_has_at_most_eight_digits(double seconds, string expected)
    {
        using HttpRequestMessage request = new();
        OtlpGrpc.Prepare(request, [], isCompressed: false, TimeSpan.FromSeconds(seconds));

        request.Headers.GetValues("grpc-timeout").Should().Equal(expected);
    }

    [Fact]
    public async Task A_data_point_that_exceeds_the_limit_is_sent_on_its_own()
    {
        for (int i = 0; i < 2; i++)
        {
            _registry.GetOrAdd("large", HdrHistogram.Create, HdrHistogramDescription.None, [new($"{i}", new('x', 4_100_000))]).Record(1);
        }

        (await Exporter().FlushAsync().WaitAsync(TimeSpan.FromSeconds(20))).Should().BeTrue();

        _receiver.Requests.Select(request => OtlpDataPoint.Read(request.Body).Count).Should().Equal(1, 1, 1);
    }

    [Fact]
    public async Task A_message_is_split_if_it_exceeds_the_limit_of_servers()
    {
        string large = new('x', 150_000);
        for (int i = 0; i < 60; i++)
        {
            _registry.GetOrAdd("large", HdrHistogram.Create, HdrHistogramDescription.None, [new("i", $"{i}"), new("text", large)]).Record(1);
        }

        OtlpExporter exporter = Exporter();

        (await exporter.FlushAsync()).Should().BeTrue(exporter.LastError?.Message);

        _receiver.Requests.Should().HaveCountGreaterThan(2);
        _receiver.Requests.Select(request => request.Body.Length).Should().OnlyContain(length => length <= 4_000_000);
        _receiver.Points.Where(point => point.Metric == "large").Select(point => point.Attributes["i"])
            .Should().BeEquivalentTo(Enumerable.Range(0, 60).Select(i => $"{i}"));
        exporter.ExportedCount.Should().Be(61);
    }

    [Fact]
    public void Any_details_of_a_status_can_be_read() => Seeded.Run(20_000, random =>
    {
        byte[] details = Convert.FromBase64String(Details(random.NextInt64(), random.Next()));
        for (int i = random.Next(4); i > 0; i--)
        {
            details[random.Next(details.Length)] = (byte)random.Next(256);
        }

        string text = Convert.ToBase64String(details)[..random.Next(Convert.ToBase64String(details).Length)];
        TimeSpan? wait = OtlpGrpc.RetryAfterOf(random.Next(2) == 0 ? text : text + "!");

        (wait is null || wait >= TimeSpan.MinValue).Should().BeTrue();
    });

    [Theory]
    [InlineData(0, 500_000_000, 0.5)]
    [InlineData(3, 0, 3)]
    [InlineData(-2, -500_000_000, -2.5)]
    public void A_wait_consists_of_seconds_and_nanoseconds(long seconds, int nanoseconds, double expected) =>
        OtlpGrpc.RetryAfterOf(Details(seconds, nanoseconds)).Should().Be(TimeSpan.FromSeconds(expected));

    [Fact]
    public void The_last_of_equal_fields_counts()
    {
        OtlpSender.TryReadRejected([.. Field(1, [0x08, 1]), .. Field(1, [0x08, 5])], out long rejected).Should().BeTrue();
        rejected.Should().Be(5);
    }

    [Fact]
    public void Details_without_RetryInfo_request_no_wait()
    {
        OtlpGrpc.RetryAfterOf(null).Should().BeNull();
        OtlpGrpc.RetryAfterOf("").Should().BeNull();
        OtlpGrpc.RetryAfterOf("not base64!").Should().BeNull();
        OtlpGrpc.RetryAfterOf(Convert.ToBase64String(Field(3, [.. Field(1, "x/google.rpc.Help"u8), .. Field(2, Field(1, [0x08, 1]))]))).Should().BeNull();
    }

    private static string Details(long seconds, int nanoseconds = 0, bool isPadded = true)
    {
        byte[] duration = [0x08, .. Varint((ulong)seconds), 0x10, .. Varint((ulong)(long)nanoseconds)];
        string text = Convert.ToBase64String([0x08, 14, .. Field(3, [.. Field(1, TypeUrl), .. Field(2, Field(1, duration))])]);
        return isPadded ? text : text.TrimEnd('=');
    }

    private static byte[] Field(int field, ReadOnlySpan<byte> bytes) => [(byte)((field << 3) | 2), (byte)bytes.Length, .. bytes];

    private static byte[] Varint(ulong value) => value < 0x80 ? [(byte)value] : [(byte)(value | 0x80), .. Varint(value >> 7)];
}
