using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Picollo.AspNetCore;
using Picollo.Metrics;
using Picollo.Scheduling;

namespace Picollo.Samples.Tests.Guides;

/// <summary>The code of docs/aspnetcore.md, docs/runtime.md and docs/security.md.</summary>
internal static class AspNetCoreGuide
{
    public static void First(string[] args)
    {
        var builder = WebApplication.CreateBuilder(args);
        builder.Services.AddPicollo();
        var app = builder.Build();

        app.UsePicollo();                                             // call it first: it measures what comes after it
        app.MapPicollo();                                             // the page: /picollo
        app.MapGet("/", () => "Hello");
        app.Run();
    }

    public static void Runtime(WebApplicationBuilder builder)
    {
        builder.Services.AddPicollo(options => options.MeasureRuntime = true);
    }

    public static void Profiles(WebApplicationBuilder builder)
    {
        builder.Services.AddPicollo(options =>
        {
            options.EnableProfiling = true;
            options.Requests.CpuBudget = TimeSpan.FromMilliseconds(100);  // keeps the profiles of requests above it
        });
    }

    public static void Configured(WebApplicationBuilder builder)
    {
        builder.Services.AddPicollo(builder.Configuration.GetSection("Picollo"));
    }

    public static WebApplication Application(WebApplicationBuilder builder)
    {
        builder.Services.AddPicollo(options =>
        {
            options.Requests.CpuBudget = TimeSpan.FromMilliseconds(100);  // log requests that use more CPU time
            options.CpuWorkers.WorkerCount = 2;                           // for RequireCpuWorker()
        });

        WebApplication app = builder.Build();
        app.UsePicollo();
        app.MapPicollo();

        var orderSize = app.Services.GetRequiredService<HdrHistogramRegistry>().GetOrAdd(
            "order_size",
            () => HdrHistogram.Factory.WithRelativeError(0.01).WithThreadLocal().Create(),
            new HdrHistogramDescription { Unit = new() { Name = "bytes" } });

        app.MapPost("/orders", (Order order) => orderSize.Record(order.Size));

        app.MapGet("/checksum/{blocks}", async (int blocks, HttpContext context) =>
        {
            CpuTaskContext cpu = context.GetCpuTaskContext();
            uint sum = 0;
            for (int block = 0; block < blocks; block++)
            {
                sum = Append(sum, ReadBlock(block));
                await cpu.CheckpointAsync();                          // every 10 to 100 µs of work
            }

            return sum;
        }).RequireCpuWorker();

        return app;
    }

    public static void Authorized(WebApplication app)
    {
        app.MapPicollo().RequireAuthorization();                      // to authorized users
    }

    public static void WithToken(WebApplicationBuilder builder)
    {
        builder.Services.AddPicollo(options => options.PageToken = builder.Configuration["Picollo:PageToken"]);
    }

    public static void OnPort(WebApplication app)
    {
        app.MapPicollo().RequireLocalPort(9464).AllowAnonymous();     // to every client that can reach this port
    }

    public static void Ports(WebApplicationBuilder builder)
    {
        builder.WebHost.ConfigureKestrel(kestrel =>
        {
            kestrel.ListenAnyIP(5000, listen => listen.Protocols = HttpProtocols.Http2);  // gRPC
            kestrel.ListenLocalhost(9464);                                                // page and metrics
        });
    }

    public static void Hubs(WebApplicationBuilder builder)
    {
        builder.Services.AddPicolloHubMethods();
    }

    public sealed class ImportService(WorkMeter meter) : BackgroundService
    {
        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            using PeriodicTimer timer = new(TimeSpan.FromHours(1));
            do
            {
                using (meter.Measure("import"))
                {
                    await ImportAsync(stoppingToken);
                }
            }
            while (await timer.WaitForNextTickAsync(stoppingToken));
        }
    }

    private static Task ImportAsync(CancellationToken cancellation) => Task.Delay(1, cancellation);

    public sealed record Order(uint Size);

    private static byte[] ReadBlock(int block) => block == 0 ? [.. "123456789"u8] : [];

    private static uint Append(uint sum, byte[] block) => Samples.CpuWorker.Serving.Crc32.Append(sum, block);
}
