using System.Text.Json;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>Tests that Prometheus stores the traces of the slowest requests of the sample.</summary>
[Trait("Category", "Long")]
public class ExemplarTests
{
    [TheoryNeeding(Need.Prometheus)]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Prometheus_stores_the_trace_IDs_that_the_page_shows(bool native)
    {
        const string Duration = "http_server_request_duration_seconds";
        const string CpuTime = "picollo_http_server_request_cpu_time_seconds";
        await using SampleProcess process = new();
        await using PrometheusServer prometheus = new([process.Address], "/picollo/metrics", PrometheusServer.WithExemplars(native));
        string suffix = native ? "" : "_bucket";
        await process.Get("/orders/12");
        await process.Get("/orders/1");
        using JsonDocument usage = await process.GetJson("/picollo/json");
        (string? Id, double Wall)[] slowest = [.. usage.RootElement.GetProperty("slowestRequests").EnumerateArray()
            .Where(one => one.GetProperty("route").GetString() == "/orders/{id:int}")
            .Select(one => (one.GetProperty("traceId").GetString(), one.GetProperty("wallSeconds").GetDouble()))];
        slowest.Should().HaveCount(2);

        // Several scrapes in sequence.
        await prometheus.WaitFor($"count_over_time({(native ? $"histogram_count({CpuTime}{{http_route='/orders/{{id:int}}'}})[1m:1s]" : $"{CpuTime}_count{{http_route='/orders/{{id:int}}'}}[1m]")})", 1, 4);

        foreach (string name in new[] { Duration, CpuTime })
        {
            IReadOnlyList<(string TraceId, double Value)> stored = await prometheus.QueryExemplars($"{name}{suffix}{{http_route='/orders/{{id:int}}'}}");
            stored.Should().HaveCount(native ? 1 : 2, "each is stored once").And.OnlyContain(one => slowest.Any(shown => shown.Id == one.TraceId));
            if (name == Duration)
            {
                stored.Should().OnlyContain(one => slowest.Any(shown => shown.Id == one.TraceId && Math.Abs(shown.Wall - one.Value) < 1e-12));
                stored.Should().Contain(one => one.TraceId == slowest[0].Id);
            }
        }

        prometheus.LogLines("exemplar").Should().NotContain(line => line.Contains("level=warn", StringComparison.Ordinal));
    }
}
