using System.Buffers;
using System.Text;
using Picollo.Metrics;
using Picollo.Metrics.Export;

namespace Picollo.Tests.Metrics.Export;

public class PrometheusTextWriterTests
{
    [Fact]
    public void An_exposition_reads_like_this()
    {
        HdrHistogramDescription time = HdrHistogramDescription.Nanoseconds with
        {
            Help = "Time of a request.",
            LowestBound = 1_000,
            HighestBound = 3_000,
        };
        var registry = new HdrHistogramRegistry();
        var orders = HdrHistogram.Factory.WithMaxTrackableValue(1_000_000).Create();
        orders.Record([1, 895, 896, 1_023, 1_024, 2_000, 2_000_000]);
        registry.Add("request.duration", orders, time, ("route", "/orders/{id}"), ("method", "GET"));
        registry.Add("request.duration", HdrHistogram.Factory.WithMinTrackableValue(2_048).Create(), time, ("route", "/"));
        var sizes = HdrHistogram.Factory.WithRelativeError(0.1).WithMaxTrackableValue(20).Create();
        sizes.Record([0, 3, 3, 9, 20, 100]);
        registry.Add("batch size", sizes);
        var output = new ArrayBufferWriter<byte>();

        new PrometheusTextWriter().Write(output, registry);

        Encoding.UTF8.GetString(output.WrittenSpan).Should().Be(
            """
            # HELP batch_size batch size
            # TYPE batch_size histogram
            batch_size_bucket{le="0"} 1
            batch_size_bucket{le="1"} 1
            batch_size_bucket{le="2"} 1
            batch_size_bucket{le="3"} 3
            batch_size_bucket{le="4"} 3
            batch_size_bucket{le="5"} 3
            batch_size_bucket{le="6"} 3
            batch_size_bucket{le="7"} 3
            batch_size_bucket{le="9"} 4
            batch_size_bucket{le="11"} 4
            batch_size_bucket{le="13"} 4
            batch_size_bucket{le="15"} 4
            batch_size_bucket{le="19"} 4
            batch_size_bucket{le="21"} 5
            batch_size_bucket{le="+Inf"} 6
            batch_size_sum 57
            batch_size_count 6
            # HELP request_duration_seconds Time of a request.
            # TYPE request_duration_seconds histogram
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="8.95e-07"} 2
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="1.023e-06"} 4
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="1.279e-06"} 5
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="1.535e-06"} 5
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="1.791e-06"} 5
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="2.047e-06"} 6
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="2.559e-06"} 6
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="3.071e-06"} 6
            request_duration_seconds_bucket{method="GET",route="/orders/{id}",le="+Inf"} 7
            request_duration_seconds_sum{method="GET",route="/orders/{id}"} 0.001006288
            request_duration_seconds_count{method="GET",route="/orders/{id}"} 7
            request_duration_seconds_bucket{route="/",le="2.047e-06"} 0
            request_duration_seconds_bucket{route="/",le="2.559e-06"} 0
            request_duration_seconds_bucket{route="/",le="3.071e-06"} 0
            request_duration_seconds_bucket{route="/",le="+Inf"} 0
            request_duration_seconds_sum{route="/"} 0
            request_duration_seconds_count{route="/"} 0

            """.ReplaceLineEndings("\n"));
    }
}
