namespace Picollo.Cpu;

/// <summary>Records which flow each thread runs, and since when, so that samples of threads can be assigned to flows. While no recorder is
/// active, a switch costs a read of one static field.</summary>
/// <remarks>Each thread writes its own log without a lock, and one reader reads all logs. Memory is bounded: if none is left, the thread
/// records a gap.</remarks>
internal sealed class FlowRecorder : IDisposable
{
    /// <summary>The maximum number of chunks. They take 16 MB for all threads, enough for half a million switches between two
    /// reads.</summary>
    private const int MaxChunks = 4096;

    private static FlowRecorder[] _active = [];
    private static FlowRecorder[] _switchRecorders = []; // recorders that already record switches, not only stops

    private readonly int _maxChunks;
    private int _chunkCount;
    private FlowLog? _added;
    private FlowStop? _stops;

    /// <summary>For tests of logs: the recorder does not start, so that no other thread uses its memory.</summary>
    internal FlowRecorder(int maxChunks) => _maxChunks = maxChunks;

    public static bool IsActive => Volatile.Read(ref _active).Length > 0;

    /// <summary>The watchers of threads that had not switched since the recorder started, by the system's ID of the thread.</summary>
    public IReadOnlyDictionary<int, CpuUsageAsyncWatcher[]> Initial { get; private set; } =
        new Dictionary<int, CpuUsageAsyncWatcher[]>();

    /// <summary>The time at which <see cref="Initial"/> was complete, in ticks of <see cref="Stopwatch"/>.</summary>
    public long InitialTime { get; private set; }

    public static FlowRecorder Start(int maxChunks = MaxChunks)
    {
        var recorder = new FlowRecorder(maxChunks);

        // A thread stores its flow, or the stop of a watcher, and then checks whether a recorder is active. A fence between the two would
        // cost time even without a profile, so it is here, for all threads: after the first fence, a stop is either recorded or visible to
        // every thread whose switches are recorded; after the second fence, a switch is either recorded or visible below.
        Replace(ref _active, others => [.. others, recorder]);
        Interlocked.MemoryBarrierProcessWide();
        Replace(ref _switchRecorders, others => [.. others, recorder]);
        Interlocked.MemoryBarrierProcessWide();

        // A thread that switches in the meantime has a log, which starts with its previous flow.
        var initial = new Dictionary<int, CpuUsageAsyncWatcher[]>();
        foreach (ThreadSegment thread in ThreadSegment.All)
        {
            thread.WaitForEvenVersion();
            if (thread.ThreadId is { } id && FlowLog.Recorded(thread.Innermost) is { Length: > 0 } watchers)
            {
                initial[(int)id] = watchers;
            }
        }

        recorder.Initial = initial;
        recorder.InitialTime = Stopwatch.GetTimestamp();
        return recorder;
    }

    public void Dispose()
    {
        Replace(ref _switchRecorders, all => [.. all.Where(other => other != this)]);
        Replace(ref _active, all => [.. all.Where(other => other != this)]);

        // Releases the memory. If a thread adds a log for another recorder at this moment, it starts a new log at its next switch.
        foreach (ThreadSegment thread in ThreadSegment.All)
        {
            if (thread.Log is { } log && log.Recorder == this)
            {
                thread.Log = log.Next;
            }
        }
    }

    /// <summary>Records the flow that the calling thread runs from now on, and the innermost watcher of the flow until now.</summary>
    public static void RecordSwitch(ThreadSegment thread, CpuUsageAsyncWatcher? before)
    {
        long time = Stopwatch.GetTimestamp();
        foreach (FlowRecorder recorder in Volatile.Read(ref _switchRecorders))
        {
            recorder.LogOf(thread, before, time).Add(time, thread.Innermost);
        }
    }

    /// <summary>Records that a watcher was stopped, if threads are in its flow. They may run for a long time without a switch.</summary>
    public static void RecordStop(CpuUsageAsyncWatcher watcher)
    {
        Interlocked.MemoryBarrier(); // a thread that enters the flow and is not counted here finds the watcher stopped
        if (watcher.ThreadCount == 0)
        {
            return;
        }

        long time = Stopwatch.GetTimestamp();
        foreach (FlowRecorder recorder in Volatile.Read(ref _active))
        {
            var stop = new FlowStop(watcher, time);
            do
            {
                stop.Previous = Volatile.Read(ref recorder._stops);
            }
            while (Interlocked.CompareExchange(ref recorder._stops, stop, stop.Previous) != stop.Previous);
        }
    }

    /// <summary>Returns the logs that any threads have added since the last call.</summary>
    public IEnumerable<FlowLog> TakeAddedLogs()
    {
        for (FlowLog? log = Interlocked.Exchange(ref _added, null); log is not null; log = log.Previous)
        {
            yield return log;
        }
    }

    /// <summary>Returns the stops since the last call, the latest first.</summary>
    public IEnumerable<FlowStop> TakeStops()
    {
        for (FlowStop? stop = Interlocked.Exchange(ref _stops, null); stop is not null; stop = stop.Previous)
        {
            yield return stop;
        }
    }

    /// <summary>Reserves a chunk of memory, if one is left.</summary>
    internal bool TryTakeChunk()
    {
        if (TakeChunk() <= _maxChunks)
        {
            return true;
        }

        ReleaseChunks(1);
        return false;
    }

    /// <summary>Reserves a chunk of memory, regardless of the limit. Returns the number of all reserved chunks.</summary>
    internal int TakeChunk() => Interlocked.Increment(ref _chunkCount);

    internal void ReleaseChunks(int count) => Interlocked.Add(ref _chunkCount, -count);

    private static void Replace(ref FlowRecorder[] all, Func<FlowRecorder[], FlowRecorder[]> change)
    {
        FlowRecorder[] before;
        do
        {
            before = Volatile.Read(ref all);
        }
        while (Interlocked.CompareExchange(ref all, change(before), before) != before);
    }

    private FlowLog LogOf(ThreadSegment thread, CpuUsageAsyncWatcher? before, long time)
    {
        FlowLog? log = thread.Log;
        while (log is not null && log.Recorder != this)
        {
            log = log.Next;
        }

        return log ?? AddLog(thread, before, time);
    }

    private FlowLog AddLog(ThreadSegment thread, CpuUsageAsyncWatcher? before, long time)
    {
        var log = new FlowLog(this, (int)(thread.ThreadId ?? 0), time, before) { Next = thread.Log };

        // Removes the logs of recorders that have ended.
        for (FlowLog? kept = log; kept is not null; kept = kept.Next)
        {
            while (kept.Next is { } next && !Volatile.Read(ref _active).Contains(next.Recorder))
            {
                kept.Next = next.Next;
            }
        }

        thread.Log = log;
        do
        {
            log.Previous = Volatile.Read(ref _added);
        }
        while (Interlocked.CompareExchange(ref _added, log, log.Previous) != log.Previous);
        return log;
    }
}

internal sealed class FlowStop(CpuUsageAsyncWatcher watcher, long time)
{
    public CpuUsageAsyncWatcher Watcher { get; } = watcher;

    /// <summary>The time of the stop, in ticks of <see cref="Stopwatch"/>.</summary>
    public long Time { get; } = time;

    internal FlowStop? Previous { get; set; }
}
