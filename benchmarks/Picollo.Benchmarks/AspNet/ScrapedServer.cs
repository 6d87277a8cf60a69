using System.Buffers;
using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Picollo.Export;

namespace Picollo.Benchmarks.AspNet;

/// <summary>Kestrel on 127.0.0.1, which serves an exposition and a prepared response of the same bytes.</summary>
internal sealed class ScrapedServer : IDisposable
{
    public const string Scrape = "/metrics";
    public const string ReadyText = "/text";
    public const string ReadyBytes = "/bytes";

    private readonly WebApplication _app;
    private readonly PrometheusWriter _writer = new();

    public ScrapedServer(HdrHistogramRegistry registry)
    {
        ArrayBufferWriter<byte> written = new();
        _writer.WriteHistograms(written, PrometheusFormat.Text, registry);
        byte[] bytes = written.WrittenSpan.ToArray();
        string text = System.Text.Encoding.UTF8.GetString(bytes);

        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        _app = builder.Build();
        Map(Scrape, async response =>
        {
            _writer.WriteHistograms(response.BodyWriter, PrometheusFormat.Text, registry);
            await response.BodyWriter.FlushAsync();
        });
        Map(ReadyText, response => response.WriteAsync(text));
        Map(ReadyBytes, async response => await response.BodyWriter.WriteAsync(bytes));
        _app.StartAsync().GetAwaiter().GetResult();
        Address = new Uri(_app.Urls.Single());
        Length = bytes.Length;

        void Map(string path, Func<HttpResponse, Task> answer) => _app.MapGet(path, context =>
        {
            context.Response.ContentType = PrometheusWriter.GetContentType(PrometheusFormat.Text);
            return answer(context.Response);
        });
    }

    public Uri Address { get; }

    /// <summary>The length of a response, in bytes.</summary>
    public int Length { get; }

    /// <summary>Creates histograms with 100,000 log-normal latencies each, recorded by a number of threads.</summary>
    public static HdrHistogramRegistry Histograms(int count, HdrHistogramFactory factory, int threads)
    {
        const int Values = 100_000;
        HdrHistogramRegistry registry = new();
        for (int i = 0; i < count; i++)
        {
            HdrHistogram histogram = factory.Create();
            registry.Add(
                "http.server.request.duration",
                histogram,
                HdrHistogramDescription.Nanoseconds,
                [
                    new("http.request.method", "GET"),
                    new("http.route", string.Create(CultureInfo.InvariantCulture, $"/customers/{{customer}}/orders/{i}")),
                ]);
        }

        Thread[] recorders = [.. Enumerable.Range(0, threads).Select(thread => new Thread(() =>
        {
            Random random = new(thread);
            foreach (HdrHistogramRegistration registration in registry.Registrations)
            {
                Record(registration.Histogram, random, Values / threads);
            }
        }))];
        Array.ForEach(recorders, recorder => recorder.Start());
        Array.ForEach(recorders, recorder => recorder.Join());
        return registry;

        static void Record(HdrHistogram histogram, Random random, int values)
        {
            for (int i = 0; i < values; i++)
            {
                double normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
                histogram.Record((ulong)(2e6 * Math.Exp(normal)));
            }
        }
    }

    public void Dispose() => _app.DisposeAsync().AsTask().GetAwaiter().GetResult();
}
