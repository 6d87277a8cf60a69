namespace Picollo.Cpu;

/// <summary>The segments that other threads still run when a watcher stops. Their CPU time until the stop is known. Their allocated bytes
/// are known when they end, because only the thread itself can read them; a whole segment then counts for the watcher.</summary>
/// <remarks>Usually, such a thread has queued the continuation of the flow and is about to leave it. A segment may also run for any time,
/// such as a loop that the flow has started, so the wait is limited.</remarks>
internal sealed class OpenSegments
{
    /// <summary>The maximum wait. The bytes of segments that end later are not counted. Only tests change it.</summary>
    public static TimeSpan MaxWait { get; set; } = TimeSpan.FromSeconds(1);

    private readonly CpuUsageAsyncWatcher _watcher;
    private readonly List<RunningSegment> _found = [];
    private ThreadSegment?[] _threads = []; // each owner removes itself
    private Action<long>? _onEnded;
    private long _bytes;
    private int _remaining;

    private OpenSegments(CpuUsageAsyncWatcher watcher) => _watcher = watcher;

    /// <summary>The bytes that the calling thread has allocated in its running segment.</summary>
    public long OwnBytes { get; private set; }

    /// <summary>Finds the running segments of a watcher that is being stopped.</summary>
    public static OpenSegments Find(CpuUsageAsyncWatcher watcher)
    {
        var open = new OpenSegments(watcher);
        foreach (ThreadSegment thread in ThreadSegment.All)
        {
            RunningSegment segment = new(thread);
            if (segment.CountsFor(watcher))
            {
                if (thread == ThreadSegment.OfThread)
                {
                    open.OwnBytes = thread.Measure(watcher.Readings).AllocatedBytes;
                }
                else
                {
                    open._found.Add(segment);
                }
            }
        }

        return open;
    }

    /// <summary>Whether all segments still run. Called with the lock of the watcher held: then they have not been added to it.</summary>
    public bool IsUnchanged => _found.TrueForAll(static segment => segment.IsUnchanged);

    /// <summary>Removes the segments that have ended, and have been added to the watcher.</summary>
    public void RemoveEnded()
    {
        _found.RemoveAll(segment => segment.HasEnded(_watcher));
        for (int i = 0; i < _found.Count; i++)
        {
            _found[i] = new(_found[i].Thread);
        }
    }

    /// <summary>Waits for the segments that remain; false if none remains. Called with the lock of the watcher held.</summary>
    public bool TryWait()
    {
        _threads = [.. _found.Select(static segment => segment.Thread)];
        _remaining = _threads.Length + 1; // one for OnEnded
        return _threads.Length > 0;
    }

    /// <summary>Adds the end of a segment of the calling thread, if it is the first since the stop.</summary>
    public void Add(long allocatedBytes)
    {
        if (Array.IndexOf(_threads, ThreadSegment.OfThread) is var i and >= 0)
        {
            _threads[i] = null;
            Interlocked.Add(ref _bytes, allocatedBytes);
            End();
        }
    }

    /// <summary>Sets the method to call with the sum of the bytes, when all segments have ended or after <see cref="MaxWait"/>. It runs in
    /// the handler of a switch, and is called again if it was interrupted.</summary>
    public void OnEnded(Action<long> record)
    {
        _onEnded = record;
        using AsyncFlowControl? suppressed = ExecutionContext.IsFlowSuppressed() ? null : ExecutionContext.SuppressFlow();
        _ = Task.Delay(MaxWait).ContinueWith(static (_, open) => ((OpenSegments)open!).Complete(), this, TaskScheduler.Default);
        End();
    }

    private void End()
    {
        if (Interlocked.Decrement(ref _remaining) == 0)
        {
            Complete();
        }
    }

    private void Complete()
    {
        if (Interlocked.Exchange(ref _onEnded, null) is { } record)
        {
            try
            {
                _watcher.EndWait(this);
                record(Interlocked.Read(ref _bytes));
            }
            catch (ThreadInterruptedException)
            {
                _onEnded = record; // the limit tries again
                Thread.CurrentThread.Interrupt();
            }
        }
    }
}

/// <summary>A segment that a thread ran at some moment.</summary>
internal readonly struct RunningSegment
{
    private readonly long _version;
    private readonly long _number;

    public RunningSegment(ThreadSegment thread)
    {
        Thread = thread;
        do
        {
            _version = thread.WaitForEvenVersion();
            _number = thread.Number;
            Volatile.ReadBarrier();
        }
        while (thread.Version != _version); // a number read during a change would be that of no segment
    }

    public ThreadSegment Thread { get; }

    /// <summary>Whether neither the segment nor its watchers have changed. Does not wait.</summary>
    public bool IsUnchanged => Thread.Version == _version;

    public bool CountsFor(CpuUsageAsyncWatcher watcher) => WatchedFlow.CountsFor(Thread.Innermost, watcher);

    /// <summary>Returns whether the segment has ended for a watcher, and has been added to it. The version of the thread also changes if
    /// only its innermost watcher does. The segment then still runs for the outer ones.</summary>
    public bool HasEnded(CpuUsageAsyncWatcher watcher)
    {
        long version;
        while ((version = Thread.WaitForEvenVersion()) != _version)
        {
            bool isRunning = Thread.Number == _number && CountsFor(watcher);
            Volatile.ReadBarrier();
            if (Thread.Version == version)
            {
                return !isRunning;
            }
        }

        return false;
    }
}
