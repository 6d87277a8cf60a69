using Microsoft.AspNetCore.SignalR;
using Picollo.AspNetCore.Tests.Page;
using Picollo.AspNetCore.Tests.Requests;
using Picollo.Export.Tests;

namespace Picollo.AspNetCore.Tests.Soak;

/// <summary>A server with all options enabled.</summary>
internal static class SoakServer
{
    public const string MeterName = "Soak";

    /// <summary>The CPU budget of requests.</summary>
    public static readonly TimeSpan Budget = TimeSpan.FromMilliseconds(20);

    /// <summary>The requests that wait for their client to disconnect, by query. Each task is completed when the handler runs.</summary>
    public static readonly ConcurrentDictionary<string, TaskCompletionSource> Held = new();

    public static Task<PageServer> StartAsync(OtlpReceiver receiver, TimeSpan exportInterval, SoakLog log, SoakHistograms histograms) =>
        PageServer.StartAsync(
            application =>
            {
                application.UsePicollo();
                application.MapPicollo();
                application.MapHub<SoakHub>("/hub");
                application.MapGet("/orders/{id:int}", async (int id) =>
                {
                    histograms.RecordShared(id);
                    await Task.Yield();
                    histograms.RecordShared(id + 1);
                    return $"order {id}";
                });
                application.MapPost("/echo", async (HttpContext context) => await context.Request.Body.CopyToAsync(context.Response.Body));
                application.MapGet("/missing", () => Results.NotFound());
                application.MapGet("/expensive", () => $"{Burn.Milliseconds(1.5 * Budget.TotalMilliseconds)}");
                application.MapGet("/cpu", async (HttpContext context) =>
                {
                    for (int i = 0; i < 4; i++)
                    {
                        Burn.Milliseconds(0.2);
                        await context.GetCpuTaskContext().CheckpointAsync();
                    }

                    return "done";
                }).RequireCpuWorker();
                application.MapGet("/lock", () =>
                {
                    lock (Held)
                    {
                        Thread.Sleep(5);
                    }
                });
                application.MapGet("/import", async (WorkMeter meter) =>
                {
                    using (meter.Measure("import"))
                    {
                        await Task.Run(() => histograms.RecordShared(7));
                    }

                    return "done";
                });
                application.MapGet("/hold", async (HttpContext context) => await HoldAsync(context));
                application.MapGet("/stream", async (HttpContext context) =>
                {
                    await context.Response.WriteAsync("first");
                    await context.Response.Body.FlushAsync();
                    await HoldAsync(context);
                });
            },
            options =>
            {
                options.MeasureRuntime = true;
                options.Requests.MeasureAllocations = true;
                options.Requests.CollectExemplars = true;
                options.EnableProfiling = true;
                options.Requests.AddServerTiming = true;
                options.Requests.CpuBudget = Budget;
                options.Requests.LatencyBreakdown = true;
                options.Requests.LatencyBudget = Budget;
                options.Requests.CpuUsageDetail = Picollo.Cpu.CpuUsageDetail.UserAndKernel;
                options.CpuWorkers.WorkerCount = 2;
                options.Meters.AddMeter(MeterName, "Microsoft.AspNetCore.Server.Kestrel", "System.Net.Http");
            },
            builder =>
            {
                builder.Logging.ClearProviders().AddProvider(log); // that of the server keeps all lines
                builder.Services.AddSignalR();
                builder.Services.AddPicollo().AddPicolloHubMethods().AddPicolloOtlpExporter(options =>
                {
                    options.Endpoint = receiver.Endpoint;
                    options.Interval = exportInterval;
                    options.UseDeltaTemporality = true;
                });
                histograms.Register(builder.Services);
            });

    private static async Task HoldAsync(HttpContext context)
    {
        Held[context.Request.QueryString.Value!].SetResult();
        await Task.Delay(Timeout.Infinite, context.RequestAborted);
    }
}

/// <summary>A hub whose methods are measured as named work.</summary>
internal sealed class SoakHub : Hub
{
    public string Echo(string text) => Context.ConnectionId.Length > 0 ? text : "";
}

/// <summary>Keeps warnings, errors and exceptions, except those that a busy machine causes.</summary>
internal sealed class SoakLog : ILoggerProvider, ILogger
{
    // A worker looks blocked if garbage collections have stopped it at two checks in a row.
    private static readonly string[] BusyMachineEvents = ["WorkerBlocked", "HeartbeatSlow"];

    private long _overBudget;
    private long _overLatencyBudget;

    public ConcurrentQueue<string> Lines { get; } = new();

    /// <summary>The number of requests above the budget. The first request of a route can be one of them, because its code is compiled.</summary>
    public long OverBudget => Interlocked.Read(ref _overBudget);

    public long OverLatencyBudget => Interlocked.Read(ref _overLatencyBudget);

    public ILogger CreateLogger(string categoryName) => this;

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Warning;

    public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (eventId.Name is "OverCpuBudget" or "OverCpuBudgetWhileRunning")
        {
            Interlocked.Increment(ref _overBudget);
        }
        else if (eventId.Name is "OverLatencyBudget" or "OverLatencyBudgetWhileRunning")
        {
            Interlocked.Increment(ref _overLatencyBudget);
        }
        else if ((IsEnabled(logLevel) || exception is not null) && !BusyMachineEvents.Contains(eventId.Name) && Lines.Count < 100)
        {
            Lines.Enqueue($"{logLevel} {eventId.Name} {formatter(state, exception)} {exception}");
        }
    }

    public void Dispose()
    {
    }
}
