using System.Globalization;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;
using Picollo.Export;
using Picollo.Metrics;

namespace Picollo.HelperApp;

internal static class Exposition
{
    /// <summary>Serves a histogram of "latencies" to Prometheus until standard input ends. The first output line is its address.</summary>
    /// <param name="argument">The number of the process. Each process has a different distribution, so a mean of their quantiles is not a
    /// quantile of all values.</param>
    public static async Task Run(string argument)
    {
        int number = int.Parse(argument, CultureInfo.InvariantCulture);
        Random random = new(number);
        HdrHistogramRegistry registry = new();
        ThreadLocalHdrHistogram<uint> latency = registry.GetOrAdd(
            "fleet.latency",
            () => HdrHistogram.Factory.WithSignificantDigits(3).WithMaxTrackableValue(1UL << 40).WithThreadLocal().Create(),
            HdrHistogramDescription.Nanoseconds with { Help = "Time without any values." },
            [new("route", "/orders/{id}")]);
        PrometheusWriter writer = new();

        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        WebApplication app = builder.Build();
        app.MapGet("/metrics", context =>
        {
            PrometheusFormat format = PrometheusWriter.SelectFormat(context.Request.Headers.Accept);
            context.Response.ContentType = PrometheusWriter.GetContentType(format);
            writer.WriteHistograms(context.Response.BodyWriter, format, registry);
            PrometheusWriter.WriteEnd(context.Response.BodyWriter, format);
            return Task.CompletedTask;
        });

        // The distribution is log-normal, with about 1 ms in the first process, 10 ms in the second and 100 ms in the third.
        app.MapPost("/record/{count:int}", (int count) =>
        {
            for (int i = 0; i < count; i++)
            {
                double normal = Math.Sqrt(-2 * Math.Log(1 - random.NextDouble())) * Math.Cos(2 * Math.PI * random.NextDouble());
                latency.Record((ulong)(1e6 * Math.Pow(10, number) * Math.Exp(0.8 * normal)));
            }
        });
        app.MapGet("/histogram", () => Results.Bytes(HdrHistogramEncoding.EncodeCompressed(latency)));
        await app.StartAsync();
        Console.WriteLine(app.Urls.Single());
        while (await Console.In.ReadLineAsync() is not null)
        {
        }

        await app.StopAsync();
    }
}
