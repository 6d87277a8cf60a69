using System.Net;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using Picollo.Cpu;
using Picollo.Diagnostics;
using Picollo.Profiling;
using Picollo.Profiling.Waits;

namespace Picollo.Benchmarks.AspNet;

/// <summary>A server with Kestrel that responds with "hello", with one kind of middleware. It runs in a separate process:
/// <c>compare aspnet serve kind</c>.</summary>
internal static class HelloServer
{
    // Measures until the process ends.
    private static RuntimeMeter? _runtime;

    // Runs between a request for /profile/start and one for /profile/stop.
    private static CpuProfiler? _profiler;
    private static WaitProfiler? _waits; // after a request for /profile/waits

    /// <summary>The number of awaits that suspend a request for <c>/waits</c>.</summary>
    public const int Waits = 10;

    /// <summary>The kind with all options that can cost CPU time.</summary>
    public const string Everything = "everything";

    /// <summary>The kinds of middleware, by name.</summary>
    public static readonly Dictionary<string, Action<WebApplication>> Kinds = new()
    {
        ["none"] = _ => { },
        ["no-op"] = app => app.Use(static next => context => next(context)),
        ["total"] = app => app.UsePicollo(),
        ["split"] = app => app.UsePicollo(),
        ["latency"] = app => app.UsePicollo(),
        ["latency-runtime"] = app => app.UsePicollo(),
        [Everything] = app => app.UsePicollo(),
        ["runtime"] = _ => _runtime = RuntimeMeter.Start(),
    };

    /// <summary>Runs the server until its input is closed, which also happens if the parent process ends.</summary>
    /// <param name="output">The writer for the address.</param>
    /// <param name="kind">One of <see cref="Kinds"/>.</param>
    public static int Run(TextWriter output, string kind)
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        builder.Services.AddPicollo(options =>
        {
            bool all = kind == Everything;
            options.Requests.CpuUsageDetail = all || kind == "split" ? CpuUsageDetail.UserAndKernel : CpuUsageDetail.TotalOnly;
            options.Requests.MeasureAllocations = options.Requests.CollectExemplars = options.EnableProfiling = all;
            options.Requests.LatencyBreakdown = all || kind.StartsWith("latency", StringComparison.Ordinal);
            options.MeasureRuntime = all || kind == "latency-runtime";
            if (all)
            {
                options.Requests.CpuBudget = TimeSpan.FromMilliseconds(100);
                options.Meters.AddMeter("*");
            }
        });
        WebApplication app = builder.Build();
        Kinds[kind](app);
        app.MapGet("/hello", (HttpContext context) => context.Response.WriteAsync("hello"));
        app.MapGet("/awaits", async (HttpContext context) =>
        {
            await Task.Yield();
            await Task.Yield();
            await context.Response.WriteAsync("hello");
        });
        app.MapGet("/waits", async (HttpContext context) =>
        {
            for (int i = 0; i < Waits; i++)
            {
                await Task.Yield();
            }

            await context.Response.WriteAsync("hello");
        });
        app.MapGet("/garbage", (HttpContext context) =>
        {
            GC.KeepAlive(new byte[4096]);
            return context.Response.WriteAsync("hello");
        });
        app.MapGet("/taken", (HttpContext context) =>
            context.Response.WriteAsync($"{GC.GetTotalAllocatedBytes(precise: true)} {CpuUsageReader.GetProcessTimeNanoseconds()} {GC.CollectionCount(0)}"));
        app.MapGet("/profile/start", (HttpContext context) =>
        {
            _profiler = CpuProfiler.Start();
            return context.Response.WriteAsync("started");
        });
        app.MapGet("/profile/waits", (HttpContext context) =>
        {
            _waits = WaitProfiler.Start();
            return context.Response.WriteAsync("started");
        });
        app.MapGet("/profile/stop", (HttpContext context) => context.Response.WriteAsync(StopProfile()));
        app.StartAsync().Wait();
        output.WriteLine(app.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single());
        Console.In.ReadToEnd();
        return 0;
    }

    // Returns the number of samples or waits, and the number of those that belong to a route.
    private static string StopProfile()
    {
        if (Interlocked.Exchange(ref _waits, null) is { } waits)
        {
            using (waits)
            {
                WaitProfile measured = waits.Stop();
                return $"{measured.Rows.Sum(row => row.Count)} {measured.Rows.Where(row => row.Label != FlowLabel.None).Sum(row => row.Count)}";
            }
        }

        using CpuProfiler profiler = _profiler!;
        CpuProfile profile = profiler.Stop();
        long ofNone = profile.SplitByRoute().FirstOrDefault(part => part.Route == CpuProfile.NoRequest)?.Value ?? 0;
        return $"{profile.Value} {profile.Value - ofNone}";
    }
}
