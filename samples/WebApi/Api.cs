using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Security.Cryptography;
using Picollo.AspNetCore;
using Picollo.Metrics;
using Picollo.Scheduling;

namespace Picollo.Samples.Web;

/// <summary>A small application whose endpoints use CPU time, wait, do both, fail and stream.</summary>
public static class Api
{
    private const int LargestNumber = 1_000_000;
    private const int MaxTicks = 1000;
    private const string MeterName = "Shop";

    /// <summary>Creates the application without starting it.</summary>
    public static WebApplication Create(string[] arguments)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(new WebApplicationOptions
        {
            Args = arguments,
            ApplicationName = typeof(Api).Assembly.GetName().Name,
            ContentRootPath = AppContext.BaseDirectory,
        });
        builder.Services.AddPicollo(options =>
        {
            options.Requests.AddServerTiming = true;
            options.MeasureRuntime = true;
            options.Requests.LatencyBreakdown = true;
            options.CpuWorkerQueueLimit = 20; // further requests are rejected
            options.Requests.CollectExemplars = true;
            options.EnableProfiling = true;
            options.Requests.CpuBudget = TimeSpan.FromMilliseconds(200); // the CPU profiles of requests above it are kept
            options.Meters.AddMeter(MeterName, "Picollo.Scheduling");
        });
        WebApplication application = builder.Build();

        // Comes first, so that it measures all middleware and endpoints after it.
        application.UsePicollo();

        // The sample contains no confidential data, so every client that can reach it has access to the page. It listens on 127.0.0.1 by default.
        application.MapPicollo().AllowAnonymous();
        Map(application);
        return application;
    }

    private static void Map(WebApplication application)
    {
        // The page also shows histograms of the application.
        var orderSize = application.Services.GetRequiredService<HdrHistogramRegistry>().GetOrAdd(
            "order_size",
            () => HdrHistogram.Factory.WithRelativeError(0.01).WithMaxTrackableValue(1_000_000).WithThreadLocal().Create(),
            new HdrHistogramDescription { Help = "Size of an order's text.", Unit = new() { Name = "bytes" }, HighestBound = (1 << 20) - 1 });

        // A histogram of System.Diagnostics.Metrics, such as libraries use.
        Histogram<double> waiting = application.Services.GetRequiredService<IMeterFactory>().Create(MeterName).CreateHistogram<double>(
            "shop.quote.duration", "s", "Time until the exchange answers.");

        application.MapGet("/", () => Results.Redirect("/picollo"));

        application.MapGet("/hello", () => "Hello.");

        // CPU-heavy: runs in the pool of workers, so that it does not delay other requests.
        application.MapGet("/primes/{below:int}", async (int below, HttpContext context) =>
        {
            if (below > LargestNumber)
            {
                return Results.BadRequest();
            }

            CpuTaskContext cpu = context.GetCpuTaskContext();
            int count = 0;
            for (int number = 2; number < below; number++)
            {
                count += IsPrime(number) ? 1 : 0;
                await cpu.CheckpointAsync();
            }

            return Results.Ok(count);
        }).RequireCpuWorker();

        // Waits, and uses hardly any CPU time.
        application.MapGet("/quotes/{symbol}", async (string symbol, CancellationToken aborted) =>
        {
            long start = Stopwatch.GetTimestamp();
            await Task.Delay(Random.Shared.Next(10, 40), aborted);
            waiting.Record(Stopwatch.GetElapsedTime(start).TotalSeconds);
            return $"{symbol} {Random.Shared.Next(90, 110)}";
        });

        // Waits, computes, and waits again.
        application.MapGet("/orders/{id:int}", async (int id, CancellationToken aborted) =>
        {
            await Task.Delay(2, aborted);
            byte[] key = Rfc2898DeriveBytes.Pbkdf2($"order {id}", "salt"u8, 1000 + (id % 10 * 300), HashAlgorithmName.SHA256, 32);
            await Task.Delay(2, aborted);
            return Convert.ToHexString(key);
        });

        application.MapPost("/orders", async (HttpRequest request) =>
        {
            using StreamReader reader = new(request.Body);
            string order = await reader.ReadToEndAsync(request.HttpContext.RequestAborted);
            orderSize.Record((ulong)order.Length);
            return Results.Accepted();
        });

        // Fails every third time.
        int calls = 0;
        application.MapGet("/flaky", () => Interlocked.Increment(ref calls) % 3 == 0
            ? throw new InvalidOperationException("Every third request fails.")
            : "Success.");

        // Streams a line every 20 ms.
        application.MapGet("/ticks/{count:int}", async (int count, HttpResponse response, CancellationToken aborted) =>
        {
            for (int i = 1; i <= Math.Min(count, MaxTicks); i++)
            {
                await response.WriteAsync($"{i}\n", aborted);
                await response.Body.FlushAsync(aborted);
                await Task.Delay(20, aborted);
            }
        });
    }

    private static bool IsPrime(int number)
    {
        for (int divisor = 2; divisor * divisor <= number; divisor++)
        {
            if (number % divisor == 0)
            {
                return false;
            }
        }

        return true;
    }
}
