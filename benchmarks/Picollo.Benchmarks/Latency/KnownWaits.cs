using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Picollo.Cpu;

namespace Picollo.Benchmarks.Latency;

/// <summary>A flow whose cause of its duration is known.</summary>
/// <param name="Name">The name of the cause.</param>
/// <param name="States">The states that it must be in: their sum is compared with the truth.</param>
/// <param name="RunAsync">Runs the flow, and returns the true time in these states, in milliseconds, from a source that is independent of
/// the watcher.</param>
internal sealed record KnownWait(string Name, LatencyState[] States, Func<Task<double>> RunAsync);

/// <summary>Flows that wait for one thing at a time. The truth comes from the kernel's own counters of the thread, read from its file for
/// each flow, from the runtime's total of pauses, and from a clock around the wait.</summary>
internal static class KnownWaits
{
    private const int Milliseconds = 20;

    private static readonly int BusyThreadCount = 2 * Environment.ProcessorCount;

    /// <summary>Each wait, with what runs at the same time; null for nothing.</summary>
    public static IEnumerable<(KnownWait Wait, Func<IDisposable>? Background)> All()
    {
        yield return (new("computes", [LatencyState.Cpu], () => OnThread(Spin, kernel => kernel.Run)), null);
        yield return (new("sleeps", [LatencyState.Blocked], () => OnThread(static () => Thread.Sleep(Milliseconds), OffCpu)), null);
        yield return (new("lock of an object", [LatencyState.Lock], () => WithHeldLock(new object(), static gate => { lock (gate) { } })), null);
        yield return (new("Lock", [LatencyState.Lock], () => WithHeldLock(new Lock(), static gate => gate.Enter(), static gate => gate.Exit())), null);
        yield return (new("SemaphoreSlim.Wait", [LatencyState.Blocked], () => OnThread(WaitForSemaphore, OffCpu)), null);
        yield return (new("ReaderWriterLockSlim", [LatencyState.Blocked], () => OnThread(WaitForWriter, OffCpu)), null);
        yield return (new("Task.Wait", [LatencyState.Blocked], () => OnThread(static () => Task.Delay(Milliseconds).Wait(), OffCpu)), null);
        yield return (new("file, written to the disk", [LatencyState.Blocked], () => OnThread(WriteFile, OffCpu)), null);
        yield return (new("synchronous socket", [LatencyState.Blocked], () => OnThread(SlowServer.Receive, OffCpu)), null);
        yield return (new("SemaphoreSlim.WaitAsync", [LatencyState.Await, LatencyState.PoolQueue], () => Awaited(WaitForSemaphoreAsync())), null);
        yield return (new("Task.Delay", [LatencyState.Await, LatencyState.PoolQueue], () => Awaited(Task.Delay(Milliseconds))), null);
        yield return (new("HTTP to a slow server", [LatencyState.Await, LatencyState.PoolQueue], () => Awaited(SlowServer.GetAsync())), null);
        yield return (new($"computes next to {BusyThreadCount} busy threads", [LatencyState.RunQueue], () => OnThread(Spin, kernel => kernel.Wait)), BusyThreads);
        yield return (new("computes next to collections", [LatencyState.Cpu], () => OnThread(Spin, kernel => kernel.Run)), Collections);
        yield return (new("stopped by collections", [LatencyState.GarbageCollection], CollectedAsync), Collections);
    }

    // A thread is not interrupted between the two readings of a clock for longer than it waits in the run queue, so the truth of a wait is
    // the duration of the call without the time in which the thread was runnable.
    private static double OffCpu((double Wall, double Run, double Wait) kernel) => kernel.Wall - kernel.Run - kernel.Wait;

    private static Task<double> OnThread(Action work, Func<(double Wall, double Run, double Wait), double> truth)
    {
        (double run, double wait) = ReadSchedStat();
        long start = Stopwatch.GetTimestamp();
        work();
        double wall = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        (double runAfter, double waitAfter) = ReadSchedStat();
        return Task.FromResult(truth((wall, runAfter - run, waitAfter - wait)));
    }

    private static (double Run, double Wait) ReadSchedStat()
    {
        _ = CpuUsageReader.GetThreadTimeNanoseconds(); // makes the kernel account the running time slice
        string[] fields = File.ReadAllText("/proc/thread-self/schedstat").Split(' ');
        return (Parse(fields[0]), Parse(fields[1]));

        static double Parse(string nanoseconds) => long.Parse(nanoseconds, CultureInfo.InvariantCulture) / 1e6;
    }

    private static async Task<double> Awaited(Task wait)
    {
        long start = Stopwatch.GetTimestamp();
        await wait;
        return Stopwatch.GetElapsedTime(start).TotalMilliseconds;
    }

    private static Task<double> WithHeldLock<T>(T gate, Action<T> enter, Action<T>? exit = null)
        where T : class
    {
        Thread waiter = Thread.CurrentThread;
        using ManualResetEventSlim held = new();
        Thread holder = new(() =>
        {
            // System.Threading.Lock and a monitor are not the same lock.
            if (gate is Lock own)
            {
                using Lock.Scope scope = own.EnterScope();
                Hold();
            }
            else
            {
                lock (gate)
                {
                    Hold();
                }
            }
        });
        using (CpuUsageAsyncWatcher.Suspend())
        {
            holder.UnsafeStart();
            held.Wait();
        }

        (double run, double wait) = ReadSchedStat();
        long start = Stopwatch.GetTimestamp();
        enter(gate);
        double wall = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
        (double runAfter, double waitAfter) = ReadSchedStat();
        exit?.Invoke(gate);
        holder.Join();
        return Task.FromResult(OffCpu((wall, runAfter - run, waitAfter - wait)));

        void Hold()
        {
            held.Set();
            Thread.Sleep(Milliseconds);
        }
    }

    private static void Spin()
    {
        for (long start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start).TotalMilliseconds < Milliseconds;)
        {
            Thread.SpinWait(100);
        }
    }

    private static void WaitForSemaphore()
    {
        SemaphoreSlim semaphore = new(0);
        ReleaseLater(semaphore);
        semaphore.Wait();
    }

    private static Task WaitForSemaphoreAsync()
    {
        SemaphoreSlim semaphore = new(0);
        ReleaseLater(semaphore);
        return semaphore.WaitAsync();
    }

    private static void ReleaseLater(SemaphoreSlim semaphore)
    {
        using (CpuUsageAsyncWatcher.Suspend())
        {
            _ = Task.Delay(Milliseconds).ContinueWith(_ => semaphore.Release(), TaskScheduler.Default);
        }
    }

    private static void WaitForWriter()
    {
        using ReaderWriterLockSlim gate = new();
        using ManualResetEventSlim held = new();
        Thread writer = new(() =>
        {
            gate.EnterWriteLock();
            held.Set();
            Thread.Sleep(Milliseconds);
            gate.ExitWriteLock();
        });
        writer.UnsafeStart();
        held.Wait();
        gate.EnterReadLock();
        gate.ExitReadLock();
        writer.Join();
    }

    private static void WriteFile()
    {
        string path = Path.GetTempFileName();
        using (FileStream file = new(path, FileMode.Open, FileAccess.Write, FileShare.None, bufferSize: 0, FileOptions.WriteThrough))
        {
            for (int i = 0; i < 20; i++)
            {
                file.Write(new byte[1 << 16]);
                file.Flush(flushToDisk: true);
            }
        }

        File.Delete(path);
    }

    // A pause also counts for the time in which a thread would have waited for a CPU, so the truth is the pauses without CPU time and queue.
    private static Task<double> CollectedAsync()
    {
        TimeSpan pauses = GC.GetTotalPauseDuration();
        return OnThread(Spin, kernel => Math.Min(OffCpu(kernel), (GC.GetTotalPauseDuration() - pauses).TotalMilliseconds));
    }

    private static Background BusyThreads() => new Background(BusyThreadCount, static () => Thread.SpinWait(1000));

    private static Background Collections() => new Background(1, static () =>
    {
        for (int i = 0; i < 50; i++)
        {
            _ = new byte[50_000];
        }

        GC.Collect();
        Thread.Sleep(1);
    });

    /// <summary>Threads that repeat an action until they are disposed.</summary>
    public sealed class Background : IDisposable
    {
        private readonly Thread[] _threads;
        private volatile bool _isOver;

        public Background(int threads, Action action)
        {
            _threads = [.. Enumerable.Range(0, threads).Select(_ => new Thread(() =>
            {
                while (!_isOver)
                {
                    action();
                }
            }))];
            Array.ForEach(_threads, static thread => thread.UnsafeStart());
        }

        public void Dispose()
        {
            _isOver = true;
            Array.ForEach(_threads, static thread => thread.Join());
        }
    }
}

/// <summary>A server on this machine that responds after 20 ms.</summary>
internal static class SlowServer
{
    private static readonly TcpListener Listener = Start();
    private static readonly HttpClient Client = new();

    public static Task GetAsync() => Client.GetStringAsync(new Uri($"http://{Listener.LocalEndpoint}/"));

    /// <summary>Waits for the response with synchronous calls.</summary>
    public static void Receive()
    {
        using TcpClient client = new();
        client.Connect((IPEndPoint)Listener.LocalEndpoint);
        NetworkStream stream = client.GetStream();
        stream.Write("GET / HTTP/1.1\r\n\r\n"u8);
        _ = stream.Read(new byte[1024]);
    }

    private static TcpListener Start()
    {
        TcpListener listener = new(IPAddress.Loopback, 0);
        listener.Start();
        using (CpuUsageAsyncWatcher.Suspend())
        {
            _ = Task.Run(ServeAsync);
        }

        return listener;

        async Task ServeAsync()
        {
            while (true)
            {
                using TcpClient client = await listener.AcceptTcpClientAsync();
                NetworkStream stream = client.GetStream();
                _ = await stream.ReadAsync(new byte[1024]);
                await Task.Delay(20);
                await stream.WriteAsync("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"u8.ToArray());
            }
        }
    }
}
