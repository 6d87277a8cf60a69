using System.Threading.Channels;
using BenchmarkDotNet.Attributes;
using Picollo.BenchmarkDotNet;
using Picollo.PerfEvent;

namespace Picollo.Samples.Benchmarks;

/// <summary>Awaits a timer, the thread pool's queue, work on another thread, and a channel.</summary>
/// <remarks>The thread that calls such a benchmark only waits. Because the benchmark returns a task, <c>TaskClock/Op</c> counts all threads
/// automatically. <c>CPU/Wall</c> distinguishes waiting (Delay: far below 1), work (OnThePool: about 1) and parallel work (Channel: above
/// 1). The mean does not distinguish them.</remarks>
[CpuUsageDiagnoser]
[PerfCounters(PerfSoftwareCounterId.TaskClock)]
[HdrPercentiles]
public class Asynchrony
{
    private const int Items = 10_000;
    private const int Yields = 100;
    private const int Additions = 4_000;

    [Benchmark]
    public async Task Delay() => await Task.Delay(1);

    [Benchmark]
    public async Task Yield()
    {
        for (int i = 0; i < Yields; i++)
        {
            await Task.Yield();
        }
    }

    /// <summary>A million dependent additions, which take one cycle each.</summary>
    [Benchmark]
    public async Task OnThePool() => await Task.Run(() => CpuUtils.AddChain256(Additions));

    [Benchmark]
    public async ValueTask<long> Channel()
    {
        Channel<int> channel = System.Threading.Channels.Channel.CreateBounded<int>(100);
        Task writing = Task.Run(async () =>
        {
            for (int i = 0; i < Items; i++)
            {
                await channel.Writer.WriteAsync(i);
            }

            channel.Writer.Complete();
        });

        long sum = 0;
        await foreach (int item in channel.Reader.ReadAllAsync())
        {
            sum += item;
        }

        await writing;
        return sum;
    }
}
