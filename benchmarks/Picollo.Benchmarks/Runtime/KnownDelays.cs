using Picollo.Diagnostics;

namespace Picollo.Benchmarks.Runtime;

/// <summary>Delays whose length is known, and what <see cref="RuntimeMeter"/> measures of them; in milliseconds.</summary>
internal static class KnownDelays
{
    private const int HeldMilliseconds = 50;
    private const int BlockedMilliseconds = 500;

    /// <summary>A thread that waits for a lock, twenty times.</summary>
    public static (double Known, double Measured) MeasureLocks()
    {
        using RuntimeMeter meter = RuntimeMeter.Start();
        Thread.Sleep(200);
        meter.LockWaits.Reset();
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
        return (known, meter.LockWaits.GetSummary().Sum / 1e6);
    }

    /// <summary>A pool all of whose threads are blocked.</summary>
    public static (double Known, double Measured) MeasurePool()
    {
        ThreadPool.GetMaxThreads(out int mostWorkers, out int mostPorts);
        ThreadPool.GetMinThreads(out int fewestWorkers, out int fewestPorts);
        int threads = Environment.ProcessorCount;
        ThreadPool.SetMinThreads(threads, fewestPorts);
        ThreadPool.SetMaxThreads(threads, mostPorts);
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
        ThreadPool.SetMaxThreads(mostWorkers, mostPorts);
        ThreadPool.SetMinThreads(fewestWorkers, fewestPorts);
        return (known, meter.ThreadPoolDelays.GetPercentileValue(100) / 1e6);
    }
}
