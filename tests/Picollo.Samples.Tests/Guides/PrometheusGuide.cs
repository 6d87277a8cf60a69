using System.Buffers;
using Microsoft.AspNetCore.Http;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/prometheus.md.</summary>
internal static class PrometheusGuide
{
    public static void Exposition(IBufferWriter<byte> output, ulong nanoseconds)
    {
        var registry = new HdrHistogramRegistry();
        var waits = registry.GetOrAdd(
            "queue.wait",
            () => HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create(),
            HdrHistogramDescription.Nanoseconds with { Help = "Time in the queue." },
            [new("queue", "orders")]);
        waits.Record(nanoseconds);

        var writer = new PrometheusTextWriter();                      // keep it: it caches what does not change
        writer.Write(output, registry);                               // an IBufferWriter<byte>, such as Response.BodyWriter
    }

    public static void Native(HttpRequest request, HttpResponse response, PrometheusTextWriter writer, HdrHistogramRegistry registry)
    {
        var native = new PrometheusProtobufWriter();                  // keep it, too
        bool isNative = PrometheusProtobufWriter.IsAccepted(request.Headers.Accept);
        response.ContentType = isNative ? PrometheusProtobufWriter.ContentType : PrometheusTextWriter.ContentType;
        if (isNative)
        {
            native.Write(response.BodyWriter, registry);
        }
        else
        {
            writer.Write(response.BodyWriter, registry);
        }
    }
}
