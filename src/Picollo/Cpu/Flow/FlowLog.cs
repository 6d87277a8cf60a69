namespace Picollo.Cpu;

/// <summary>The switches of one thread, for a <see cref="FlowRecorder"/>. The thread writes the log, and one reader reads it.</summary>
/// <remarks>The log is a list of chunks: the writer uses the last one, the reader the first. The reader returns chunks that it has read to
/// the writer, so the steady state does not allocate.</remarks>
internal sealed class FlowLog
{
    /// <summary>The minimum number of chunks. It may exceed the recorder's limit, because the reader and the writer each need a
    /// chunk.</summary>
    private const int MinChunks = 2;

    /// <summary>The number of chunks that a thread keeps after a burst: 256 KB. The rest becomes available to other threads.</summary>
    private const int MaxKeptChunks = 64;

    private Chunk _writing;
    private Chunk? _spare; // owned by the writer
    private Chunk? _returned; // passed from the reader to the writer
    private Chunk _reading;
    private int _readCount; // entries of the chunk that have been read
    private int _chunkCount = 1;
    private bool _hasGap;

    /// <summary>The start is in ticks of <see cref="Stopwatch"/>. The watcher is the innermost one of the flow until then.</summary>
    public FlowLog(FlowRecorder recorder, int threadId, long startTime, CpuUsageAsyncWatcher? before)
    {
        (Recorder, ThreadId, StartTime) = (recorder, threadId, startTime);
        recorder.TakeChunk();
        _reading = _writing = new Chunk();
        Before = Recorded(before);
    }

    public FlowRecorder Recorder { get; }

    public int ThreadId { get; }

    public long StartTime { get; }

    /// <summary>The watchers that counted before <see cref="StartTime"/>, the innermost first.</summary>
    public CpuUsageAsyncWatcher[] Before { get; }

    /// <summary>The thread's log for another recorder.</summary>
    internal FlowLog? Next { get; set; }

    /// <summary>The log, of any thread, that was added before this one.</summary>
    internal FlowLog? Previous { get; set; }

    /// <summary>Returns the watchers of a flow that are recorded, the innermost first: those that count, without the spans.</summary>
    public static CpuUsageAsyncWatcher[] Recorded(CpuUsageAsyncWatcher? innermost)
    {
        List<CpuUsageAsyncWatcher>? watchers = null;
        for (CpuUsageAsyncWatcher? watcher = innermost; watcher is not null; watcher = watcher.Outer)
        {
            if (IsRecorded(watcher, out CpuUsageAsyncWatcher? counting))
            {
                (watchers ??= []).Add(counting);
            }
        }

        return watchers is null ? [] : [.. watchers];
    }

    /// <summary>Adds a switch to a flow with this innermost watcher; null for none. The time, in ticks of <see cref="Stopwatch"/>, must not
    /// decrease. Only the thread itself may call it. It never throws, as in <see cref="WatchedFlow"/>.</summary>
    public void Add(long time, CpuUsageAsyncWatcher? innermost)
    {
        int count = 0;
        for (CpuUsageAsyncWatcher? watcher = innermost; watcher is not null; watcher = watcher.Outer)
        {
            if (IsRecorded(watcher, out CpuUsageAsyncWatcher? counting) && !TryWrite(time, counting, ref count))
            {
                return;
            }
        }

        if (count == 0)
        {
            _ = TryWrite(time, null, ref count);
        }
    }

    /// <summary>Returns the next entry without removing it. Only the reader may call it.</summary>
    public bool TryPeek(out FlowSwitch next)
    {
        Chunk? following = Volatile.Read(ref _reading.Next); // read before the count, which is final if there is a next chunk
        if (_readCount < Volatile.Read(ref _reading.Count))
        {
            next = _reading.Entries[_readCount];
            return true;
        }

        if (following is null)
        {
            next = default;
            return false;
        }

        Return(_reading);
        (_reading, _readCount) = (following, 0);
        return TryPeek(out next);
    }

    /// <summary>Removes the entry that <see cref="TryPeek"/> returned.</summary>
    public void Remove() => _reading.Entries[_readCount++] = default; // the log must not keep a watcher alive

    /// <summary>Releases the memory after the thread has ended.</summary>
    public void Release() => Recorder.ReleaseChunks(_chunkCount);

    private static bool IsRecorded(CpuUsageAsyncWatcher watcher, [NotNullWhen(true)] out CpuUsageAsyncWatcher? counting)
    {
        counting = watcher.Counting;
        return counting is { SpanData: null };
    }

    // The last entry of a chunk is reserved for a gap mark.
    private bool TryWrite(long time, CpuUsageAsyncWatcher? watcher, ref int entryCount)
    {
        if (_writing.Count >= Chunk.Length - 1 && !TryUseNextChunk())
        {
            if (!_hasGap)
            {
                _hasGap = true;
                _writing.Entries[^1] = new FlowSwitch(time, null, FlowSwitchKind.Gap);
                Volatile.Write(ref _writing.Count, Chunk.Length);
            }

            return false;
        }

        FlowSwitchKind kind = entryCount++ == 0 ? FlowSwitchKind.Switch : FlowSwitchKind.Outer;
        _writing.Entries[_writing.Count] = new FlowSwitch(time, watcher, kind);
        Volatile.Write(ref _writing.Count, _writing.Count + 1);
        return true;
    }

    private bool TryUseNextChunk()
    {
        _spare ??= Interlocked.Exchange(ref _returned, null);
        Chunk? next = _spare;
        if (next is not null)
        {
            _spare = next.Next;
            next.Next = null;
        }
        else if (_chunkCount < MinChunks ? Recorder.TakeChunk() > 0 : Recorder.TryTakeChunk())
        {
            Interlocked.Increment(ref _chunkCount);
            next = new Chunk();
        }
        else
        {
            return false;
        }

        _hasGap = false;
        Chunk full = _writing;
        _writing = next;
        Volatile.Write(ref full.Next, next);
        return true;
    }

    private void Return(Chunk read)
    {
        if (Volatile.Read(ref _chunkCount) > MaxKeptChunks)
        {
            Interlocked.Decrement(ref _chunkCount);
            Recorder.ReleaseChunks(1);
            return;
        }

        read.Count = 0;
        read.Next = Interlocked.Exchange(ref _returned, null);
        Volatile.Write(ref _returned, read); // the writer only takes chunks and never adds any
    }

    private sealed class Chunk
    {
        public const int Length = 170; // 4 KB

        public readonly FlowSwitch[] Entries = new FlowSwitch[Length];
        public int Count;
        public Chunk? Next;
    }
}

/// <summary>An entry of a log. The time is in ticks of <see cref="Stopwatch"/>. The watcher counts from that time; null for none.</summary>
internal readonly record struct FlowSwitch(long Time, CpuUsageAsyncWatcher? Watcher, FlowSwitchKind Kind);

internal enum FlowSwitchKind
{
    /// <summary>The thread now runs another flow. The entry holds its innermost watcher.</summary>
    Switch,

    /// <summary>The flow of the previous switch also has this watcher, outside the others.</summary>
    Outer,

    /// <summary>The log ran out of memory: the flow of the thread is unknown until the next switch.</summary>
    Gap,
}
