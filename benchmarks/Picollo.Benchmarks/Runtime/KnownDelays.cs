using Picollo.Diagnostics;
using Picollo.Metrics;

namespace Picollo.Benchmarks.Runtime;

/// <summary>Creates delays of known length, and measures them with <see cref="RuntimeMeter"/>, in milliseconds.</summary>
internal static class KnownDelays
{
    private const int HeldMilliseconds = 50;
    private const int BlockedMilliseconds = 500;

    /// <summary>Measures twenty waits of a thread for a lock.</summary>
    public static (double Known, double Measured) MeasureLocks()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        Thread.Sleep(200);
        HdrHistogramSnapshot waits = meter.LockWaits.GetSnapshot();
        double known = 0;
        object gate = new();
        for (int i = 0; i < 20; i++)
        {
            Thread waiter = new(() =>
            {
                lock (gate)
                {
                }
            });
            long start;
            lock (gate)
            {
                waiter.Start();
                SpinWait.SpinUntil(() => waiter.ThreadState.HasFlag(System.Threading.ThreadState.WaitSleepJoin));
                start = Stopwatch.GetTimestamp();
                Thread.Sleep(HeldMilliseconds);
            }

            known += Stopwatch.GetElapsedTime(start).TotalMilliseconds;
            waiter.Join();
        }

        Thread.Sleep(500); // events are late by up to a tenth of a second
        waits.Update(deltas: true);
        return (known, waits.GetSummary().Sum / 1e6);
    }

    /// <summary>Measures a thread pool whose threads are all blocked.</summary>
    public static (double Known, double Measured) MeasurePool()
    {
        ThreadPool.GetMaxThreads(out int maxWorkers, out int maxPorts);
        ThreadPool.GetMinThreads(out int minWorkers, out int minPorts);
        int threads = Environment.ProcessorCount;
        ThreadPool.SetMinThreads(threads, minPorts);
        ThreadPool.SetMaxThreads(threads, maxPorts);
        using RuntimeMeter meter = RuntimeMeter.Start();
        using ManualResetEventSlim go = new(false, spinCount: 0);
        using CountdownEvent blocked = new(threads);
        for (int i = 0; i < threads; i++)
        {
            ThreadPool.QueueUserWorkItem(_ =>
            {
                blocked.Signal();
                go.Wait();
            });
        }

        blocked.Wait();
        long start = Stopwatch.GetTimestamp();
        Thread.Sleep(BlockedMilliseconds);
        go.Set();
        double known = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        Thread.Sleep(200);
        ThreadPool.SetMaxThreads(maxWorkers, maxPorts);
        ThreadPool.SetMinThreads(minWorkers, minPorts);
        return (known, meter.ThreadPoolDelays.GetPercentileValue(100) / 1e6);
    }
}
