using Picollo.Cpu;
using Picollo.Metrics;

namespace Picollo.Diagnostics.Runtime;

/// <summary>The event listener, the probe and the thread of all meters of this process. They run while there is a meter.</summary>
internal sealed class RuntimeSources : IDisposable
{
    // An application with more live threads than a session may have loses a thousandth of its events.
    private static readonly TimeSpan RenewalInterval = TimeSpan.FromSeconds(10);

    private static readonly Lock Gate = new();
    private static RuntimeSources? _running;

    private readonly RuntimeEventListener _listener = RuntimeEventListener.Start();
    private readonly ThreadPoolProbe _probe = new(
        TimeProvider.System, static item => ThreadPool.UnsafeQueueUserWorkItem(item, preferLocal: false), ReadPool);

    private readonly ManualResetEventSlim _isOver = new(false, spinCount: 0);
    private readonly Thread _thread;
    private int _meters;

    private RuntimeSources()
    {
        _thread = new Thread(Run) { IsBackground = true, Name = "Picollo runtime" };
        _thread.UnsafeStart(); // without the caller's AsyncLocals, because the meters outlive the caller's flow
        LatencySources.Start(_listener.HasSource);
    }

    /// <summary>Starts to pass events to a reader and delays to a histogram. Returns whether the runtime provides events.</summary>
    public static bool Add(RuntimeEventReader reader, HdrHistogram delays)
    {
        lock (Gate)
        {
            _running ??= new RuntimeSources();
            _running._meters++;
            _running._listener.Add(reader);
            _running._probe.Add(delays);
            return _running._listener.HasSource;
        }
    }

    /// <summary>Reverses <see cref="Add"/>. Afterwards, nothing is passed to the reader or the histogram.</summary>
    public static void Remove(RuntimeEventReader reader, HdrHistogram delays)
    {
        lock (Gate)
        {
            _running!._listener.Remove(reader);
            _running._probe.Remove(delays);
            if (--_running._meters == 0)
            {
                _running.Dispose();
                _running = null;
            }
        }
    }

    public void Dispose()
    {
        LatencySources.Stop();
        _isOver.Set();
        _listener.Dispose();
        _thread.Join();
        _isOver.Dispose();
    }

    private static PoolActivity ReadPool()
    {
        ThreadPool.GetMaxThreads(out int max, out _);
        ThreadPool.GetAvailableThreads(out int available, out _);
        return new(ThreadPool.CompletedWorkItemCount, max - available, ThreadPool.PendingWorkItemCount);
    }

    private void Run()
    {
        TimeSpan next, sinceRenewal = default;
        do
        {
            next = _probe.Tick();
            sinceRenewal += next;
            if (sinceRenewal >= RenewalInterval)
            {
                sinceRenewal = default;
                _listener.RenewSession();
            }
        }
        while (!_isOver.Wait(next));
    }
}
