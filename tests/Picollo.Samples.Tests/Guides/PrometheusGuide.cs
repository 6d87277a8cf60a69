using System.Buffers;
using System.Text;
using Microsoft.AspNetCore.Http;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/prometheus.md.</summary>
internal static class PrometheusGuide
{
    public static void Exposition()
    {
        var registry = new HdrHistogramRegistry();
        var waits = registry.GetOrAdd(
            "queue.wait",
            () => HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create(),
            HdrHistogramDescription.Nanoseconds with { Help = "Time in the queue." },
            [new("queue", "orders")]);
        waits.Record(1_200_000);                                      // nanoseconds

        var writer = new PrometheusWriter();                          // keep it: it caches the constant parts
        var output = new ArrayBufferWriter<byte>();                   // any IBufferWriter<byte>, such as Response.BodyWriter
        writer.WriteHistograms(output, PrometheusFormat.Text, registry);
        Console.Write(Encoding.UTF8.GetString(output.WrittenSpan));
    }

    public static void Endpoint(HttpRequest request, HttpResponse response, PrometheusWriter writer, HdrHistogramRegistry registry, long jobsDone)
    {
        PrometheusFormat format = PrometheusWriter.SelectFormat(request.Headers.Accept);
        response.ContentType = PrometheusWriter.GetContentType(format);
        PrometheusWriter.WriteCounter(response.BodyWriter, format, "jobs.done", "Jobs that ended.", [new(jobsDone)]);
        writer.WriteHistograms(response.BodyWriter, format, registry);
        PrometheusWriter.WriteEnd(response.BodyWriter, format);
    }
}
