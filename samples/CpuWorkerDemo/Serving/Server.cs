using System.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Picollo.Metrics;
using Picollo.Samples.CpuWorker.Driving;
using Picollo.Scheduling;

namespace Picollo.Samples.CpuWorker.Serving;

/// <summary>The document's server in ASP.NET Core. It has requests that wait, and requests that compute with and without a pool.</summary>
public sealed class Server : IAsyncDisposable
{
    private const int LoopTurns = 10;

    private readonly CpuWorkerPool _pool;
    private readonly InterlockedHdrHistogram<uint> _smallNanoseconds = HdrHistogram.Factory.WithRelativeError(0.01).WithInterlocked().Create();
    private readonly SemaphoreSlim _semaphore;
    private readonly ChecksumTask _big;
    private readonly ChecksumTask _small;
    private readonly WebApplication _application;

    /// <param name="port">The port on 127.0.0.1, or 0 for any free port.</param>
    /// <param name="sizes">The sizes of the requests that compute.</param>
    /// <param name="options">The options of the pool, or <see langword="null"/> for the defaults.</param>
    public Server(int port, TaskSizes sizes, CpuWorkerPoolOptions? options = null)
    {
        _pool = new CpuWorkerPool(options);
        _semaphore = new SemaphoreSlim(_pool.WorkerCount);
        _big = new ChecksumTask("big", sizes.BigBlocks);
        _small = new ChecksumTask("small", sizes.SmallBlocks);
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
        _application = builder.Build();
        Map("delay1ms", _ => DelayAsync());
        Map("delay1msLoop", _ => LoopAsync());
        Map("delay1msLoopWithCpuWorker", LoopWithPoolAsync);
        Map("checksumWithoutCpuWorker", stop => Task.FromResult(_big.Compute(stop)));
        Map("checksumWithCpuWorker", stop => _pool.RunAsync(_big.ComputeAsync, new CpuTaskOptions { Name = _big.Name }, stop));
        Map("checksumSmallTaskWithCpuWorker", ComputeSmallAsync);
        // For comparison: a semaphore with the same limit.
        Map("checksumWithSemaphore", stop => ComputeWithSemaphoreAsync(_big, stop));
        Map("checksumSmallTaskWithSemaphore", stop => ComputeWithSemaphoreAsync(_small, stop));
        // For the driver: the times of small requests in the pool since the last call, and the computed work with its time.
        _application.MapGet("/smallNanoseconds", TakeSmallNanoseconds);
        _application.MapGet("/work", () => $"{_big.Done:R} {_small.Done:R} {Stopwatch.GetTimestamp() / (double)Stopwatch.Frequency:R}");
    }

    /// <summary>The address of the server after it has started.</summary>
    public Uri Address => new(_application.Urls.Single());

    public int WorkerCount => _pool.WorkerCount;

    public Task StartAsync() => _application.StartAsync();

    public Task WaitForShutdownAsync() => _application.WaitForShutdownAsync();

    public async ValueTask DisposeAsync()
    {
        await _application.DisposeAsync();
        await _pool.DisposeAsync();
        _semaphore.Dispose();
    }

    /// <summary>Maps an endpoint that returns a number and the duration of its computation. The work is canceled if the client disconnects.</summary>
    private void Map(string path, Func<CancellationToken, Task<uint>> answer) => _application.MapGet("/" + path, async (HttpContext context) =>
    {
        long start = Stopwatch.GetTimestamp();
        try
        {
            uint number = await answer(context.RequestAborted);
            return Results.Text($"{path} {number:x8} took {Stopwatch.GetElapsedTime(start).TotalMilliseconds:0.000} ms\n");
        }
        catch (OperationCanceledException) when (context.RequestAborted.IsCancellationRequested)
        {
            return Results.Empty;
        }
    });

    private static async Task<uint> DelayAsync()
    {
        await Task.Delay(1);
        return 0;
    }

    /// <summary>Alternates a small amount of work and a wait.</summary>
    private static async Task<uint> LoopAsync()
    {
        uint crc = 0;
        for (int i = 0; i < LoopTurns; i++)
        {
            crc ^= ChecksumTask.ComputeBlock();
            await Task.Delay(1);
        }

        return crc;
    }

    private async Task<uint> ComputeSmallAsync(CancellationToken stop)
    {
        long start = Stopwatch.GetTimestamp();
        uint crc = await _pool.RunAsync(_small.ComputeAsync, new CpuTaskOptions { Name = _small.Name }, stop);
        _smallNanoseconds.Record((ulong)Stopwatch.GetElapsedTime(start).TotalNanoseconds);
        return crc;
    }

    private string TakeSmallNanoseconds()
    {
        string text = string.Join(' ', Latencies.Percentiles.Select(_smallNanoseconds.GetPercentileValue));
        _smallNanoseconds.Reset();
        return text;
    }

    private Task<uint> LoopWithPoolAsync(CancellationToken stop) => _pool.RunAsync(
        async cpu =>
        {
            uint crc = 0;
            for (int i = 0; i < LoopTurns; i++)
            {
                crc ^= ChecksumTask.ComputeBlock();
                await cpu.RunOutsideAsync(token => Task.Delay(1, token));
            }

            return crc;
        },
        new CpuTaskOptions { Name = "loop" },
        stop);

    private async Task<uint> ComputeWithSemaphoreAsync(ChecksumTask task, CancellationToken stop)
    {
        await _semaphore.WaitAsync(stop);
        try
        {
            return task.Compute(stop);
        }
        finally
        {
            _semaphore.Release();
        }
    }
}
