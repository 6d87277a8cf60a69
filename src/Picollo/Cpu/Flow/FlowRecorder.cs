using System.Diagnostics;

namespace Picollo.Cpu;

/// <summary>Records which flows each thread runs, and from when, so that samples of threads can be assigned to flows. While nobody records,
/// a switch costs the reading of one static field.</summary>
/// <remarks>Each thread writes a log of its own, without a lock, and one reader reads all of them. Memory is bounded: a thread that finds
/// none left notes a gap instead.</remarks>
internal sealed class FlowRecorder : IDisposable
{
    /// <summary>16 MB for all threads: half a million switches between two readings.</summary>
    private const int MostChunks = 4096;

    private static FlowRecorder[] _active = [];
    private static FlowRecorder[] _ofSwitches = []; // those that record switches already, and not only stops

    private readonly int _mostChunks;
    private int _chunkCount;
    private FlowLog? _added;
    private FlowStop? _stops;

    /// <param name="mostChunks">The memory for all threads.</param>
    /// <remarks>It records nothing by itself: for tests of logs, whose memory no other thread uses then.</remarks>
    internal FlowRecorder(int mostChunks) => _mostChunks = mostChunks;

    /// <summary>Whether anybody records.</summary>
    public static bool IsActive => Volatile.Read(ref _active).Length > 0;

    /// <summary>What the threads ran that had not switched since the recorder was started, by the system's ID of the thread.</summary>
    public IReadOnlyDictionary<int, CpuUsageAsyncWatcher[]> Initial { get; private set; } =
        new Dictionary<int, CpuUsageAsyncWatcher[]>();

    /// <summary>When <see cref="Initial"/> was complete, in ticks of <see cref="Stopwatch"/>.</summary>
    public long InitialTime { get; private set; }

    /// <summary>Starts to record the switches of all threads.</summary>
    public static FlowRecorder Start(int mostChunks = MostChunks)
    {
        var recorder = new FlowRecorder(mostChunks);

        // Threads store what they run, or that a watcher is stopped, and then look whether anybody records. A fence between the two would
        // cost time without a profile, so it is here, for all of them: after the first one, a stop is recorded or visible to every thread
        // whose switches are; after the second one, a switch is recorded or visible below.
        Replace(ref _active, others => [.. others, recorder]);
        Interlocked.MemoryBarrierProcessWide();
        Replace(ref _ofSwitches, others => [.. others, recorder]);
        Interlocked.MemoryBarrierProcessWide();

        // A thread that switches meanwhile has a log, which begins with what it ran before.
        var initial = new Dictionary<int, CpuUsageAsyncWatcher[]>();
        foreach (ThreadSegment thread in ThreadSegment.All)
        {
            thread.WaitForEvenVersion();
            if (thread.ThreadId is { } id && FlowLog.Recorded(thread.Watchers) is { Length: > 0 } watchers)
            {
                initial[(int)id] = watchers;
            }
        }

        recorder.Initial = initial;
        recorder.InitialTime = Stopwatch.GetTimestamp();
        return recorder;
    }

    /// <summary>Ends recording.</summary>
    public void Dispose()
    {
        Replace(ref _ofSwitches, all => [.. all.Where(other => other != this)]);
        Replace(ref _active, all => [.. all.Where(other => other != this)]);

        // Gives the memory back. A thread that adds a log for another recorder just now begins a new one at its next switch.
        foreach (ThreadSegment thread in ThreadSegment.All)
        {
            if (thread.Log is { } log && log.Recorder == this)
            {
                thread.Log = log.Next;
            }
        }
    }

    /// <summary>Records what the calling thread runs from now on.</summary>
    /// <param name="thread">The calling thread's.</param>
    /// <param name="before">What it ran until now.</param>
    public static void RecordSwitch(ThreadSegment thread, CpuUsageAsyncWatcher? before)
    {
        long time = Stopwatch.GetTimestamp();
        foreach (FlowRecorder recorder in Volatile.Read(ref _ofSwitches))
        {
            recorder.LogOf(thread, before, time).Add(time, thread.Watchers);
        }
    }

    /// <summary>Records that a watcher was stopped, if threads are in its flow. These may go on for a long time without a switch.</summary>
    public static void RecordStop(CpuUsageAsyncWatcher watcher)
    {
        Interlocked.MemoryBarrier(); // a thread that takes the flow up and is not counted here finds the watcher stopped
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

    /// <summary>The logs that were begun since the last call, by any threads.</summary>
    public IEnumerable<FlowLog> TakeAddedLogs()
    {
        for (FlowLog? log = Interlocked.Exchange(ref _added, null); log is not null; log = log.Previous)
        {
            yield return log;
        }
    }

    /// <summary>The stops since the last call, the latest first.</summary>
    public IEnumerable<FlowStop> TakeStops()
    {
        for (FlowStop? stop = Interlocked.Exchange(ref _stops, null); stop is not null; stop = stop.Previous)
        {
            yield return stop;
        }
    }

    /// <summary>Takes a chunk of memory, if there is one left.</summary>
    internal bool TryTakeChunk()
    {
        if (TakeChunk() <= _mostChunks)
        {
            return true;
        }

        ReleaseChunks(1);
        return false;
    }

    /// <summary>Takes a chunk of memory.</summary>
    /// <returns>The number of all chunks that were taken.</returns>
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

        // Recorders that have ended are forgotten here.
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

/// <summary>A watcher that was stopped, and when.</summary>
internal sealed class FlowStop(CpuUsageAsyncWatcher watcher, long time)
{
    public CpuUsageAsyncWatcher Watcher { get; } = watcher;

    /// <summary>In ticks of <see cref="Stopwatch"/>.</summary>
    public long Time { get; } = time;

    internal FlowStop? Previous { get; set; }
}
