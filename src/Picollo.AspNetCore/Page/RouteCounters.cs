using System.Buffers;
using Picollo.AspNetCore.Requests;
using Picollo.Export;

namespace Picollo.AspNetCore.Page;

/// <summary>The counters of the exposition: what the histograms of requests do not contain.</summary>
internal static class RouteCounters
{
    private static readonly (ResponseClass Class, string Name)[] Classes =
    [
        (ResponseClass.Informational, "1xx"),
        (ResponseClass.Success, "2xx"),
        (ResponseClass.Redirection, "3xx"),
        (ResponseClass.ClientError, "4xx"),
        (ResponseClass.ServerError, "5xx"),
        (ResponseClass.Aborted, "aborted"),
    ];

    public static void Write(IBufferWriter<byte> output, RouteTable routes)
    {
        IReadOnlyList<RouteUsage> all = routes.All;
        if (all.Count == 0)
        {
            return;
        }

        PrometheusTextWriter.WriteGauge(
            output,
            "picollo_http_server_max_routes",
            "Rows of routes that are counted separately; the requests of further routes have the route (other).",
            [([], routes.Capacity)]);

        // Only what was seen: a series that is always 0 costs as much as one that is not.
        PrometheusTextWriter.WriteCounter(
            output,
            "picollo_http_server_responses",
            "Requests by method, route and class of the response; aborted by the client is a class of its own.",
            all.SelectMany(route => Classes.Where(one => route[one.Class] > 0).Select(one => SampleOf(route, route[one.Class], one.Name))));
        PrometheusTextWriter.WriteCounter(
            output,
            "picollo_http_server_rejected_requests",
            "Requests that a rate limit or the queue of the CPU workers has rejected; the percentiles do not contain them.",
            all.Where(route => route.Rejected > 0).Select(route => SampleOf(route, route.Rejected)));
        PrometheusTextWriter.WriteCounter(
            output,
            "picollo_http_server_cpu_seconds",
            "CPU time of requests that have ended, by method and route.",
            all.Select(route => SampleOf(route, route.TotalCpuNanoseconds / 1e9)));
    }

    private static (IReadOnlyList<KeyValuePair<string, string>> Labels, double Value) SampleOf(
        RouteUsage route, double value, string? response = null)
    {
        List<KeyValuePair<string, string>> labels = [new("http_request_method", route.Method), new("http_route", route.Route)];
        if (response is not null)
        {
            labels.Add(new("response", response));
        }

        return (labels, value);
    }
}
