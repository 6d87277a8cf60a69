namespace Picollo.Cpu;

/// <summary>The sources of latency breakdowns that cost something while nothing is measured, or more for each segment. They are used while
/// a <c>RuntimeMeter</c> runs in this process. Thread-safe.</summary>
internal static class LatencySources
{
    private static long _poolDelay;
    private static volatile bool _isRunning;
    private static volatile bool _hasLocks;
    private static volatile string? _runQueueFailure;

    /// <summary>Whether segments read the time in the run queue.</summary>
    public static bool UsesRunQueue => _isRunning && _runQueueFailure is null;

    /// <summary>Whether <see cref="AddLockWait"/> is called for each wait.</summary>
    public static bool HasLocks => _isRunning && _hasLocks;

    /// <summary>Why the time in the run queue is unknown, as a sentence; null if it is known, or if no meter has started. If it is unknown
    /// for one thread, it is not read until the next start.</summary>
    public static string? RunQueueFailure
    {
        get => _runQueueFailure;
        set => _runQueueFailure = value;
    }

    /// <summary>The states that have a source now, for a watcher that starts.</summary>
    public static LatencyStates States =>
        LatencyStates.Cpu | LatencyStates.GarbageCollection | LatencyStates.Blocked | LatencyStates.Await
        | (UsesRunQueue ? LatencyStates.RunQueue : 0)
        | (HasLocks ? LatencyStates.Lock : 0)
        | (_isRunning ? LatencyStates.PoolQueue : 0);

    /// <summary>The last known time, in nanoseconds, that a work item waited for a thread of the pool.</summary>
    public static long PoolDelay
    {
        get => Volatile.Read(ref _poolDelay);
        set => Volatile.Write(ref _poolDelay, value);
    }

    public static void Start(bool hasLocks)
    {
        _runQueueFailure = null;
        OpenRunQueue()?.Close(); // otherwise, the state would be present in the first flows and always 0
        (_hasLocks, PoolDelay, _isRunning) = (hasLocks, 0, true);
    }

    public static void Stop() => _isRunning = false;

    /// <summary>Opens the run queue of the calling thread; null if it cannot be read.</summary>
    public static ThreadRunQueue? OpenRunQueue()
    {
        ThreadRunQueue? queue = CpuTimes.Current.TryOpenRunQueue(out string? reason);
        if (queue is null)
        {
            RunQueueFailure = reason;
        }

        return queue;
    }

    /// <summary>Adds the wait of a thread for a lock to the flow that the thread ran. Not for the thread itself, which would wait for the
    /// end of its own change.</summary>
    /// <param name="threadId">The system's ID of the thread.</param>
    /// <param name="end">The end of the wait, in ticks of <see cref="Stopwatch"/>.</param>
    /// <param name="nanoseconds">The length of the wait.</param>
    public static void AddLockWait(long threadId, long end, long nanoseconds)
    {
        foreach (ThreadSegment thread in ThreadSegment.All)
        {
            if (thread.LastThreadId == threadId && thread.AddLockWait(end - FlowMoment.ToTicks(nanoseconds), end, nanoseconds))
            {
                return;
            }
        }
    }
}
