using System.Diagnostics.CodeAnalysis;

namespace Picollo.Cpu;

/// <summary>The switches of one thread, for a <see cref="FlowRecorder"/>. The thread writes it, and one reader reads it.</summary>
/// <remarks>A list of chunks: the writer has the last one, the reader the first. The reader gives back those that it has read, so that in
/// steady state nothing is allocated.</remarks>
internal sealed class FlowLog
{
    /// <summary>Beyond the recorder's limit if need be: while the reader has one, the writer has another.</summary>
    private const int LeastChunks = 2;

    /// <summary>What a thread keeps after a burst, so that others find memory: 256 KB.</summary>
    private const int MostKeptChunks = 64;

    private Chunk _writing;
    private Chunk? _spare; // of the writer
    private Chunk? _returned; // from the reader to the writer
    private Chunk _reading;
    private int _readCount; // of the chunk
    private int _chunkCount = 1;
    private bool _hasGap;

    /// <param name="recorder">Whose memory it uses.</param>
    /// <param name="threadId">The system's ID of the thread.</param>
    /// <param name="startTime">In ticks of <see cref="System.Diagnostics.Stopwatch"/>.</param>
    /// <param name="before">What the thread ran until then.</param>
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

    /// <summary>The log of any thread that was begun before this one.</summary>
    internal FlowLog? Previous { get; set; }

    /// <summary>The watchers of a flow that are recorded, the innermost first: those that count, without the spans.</summary>
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

    /// <summary>Adds a switch. By the thread only. Nothing here can throw, as in <see cref="WatchedFlow"/>.</summary>
    /// <param name="time">In ticks of <see cref="System.Diagnostics.Stopwatch"/>; at least that of the switch before.</param>
    /// <param name="innermost">What the thread runs from then on; null for nothing.</param>
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

    /// <summary>The next entry that has not been removed. By the reader only.</summary>
    public bool TryPeek(out FlowSwitch next)
    {
        Chunk? following = Volatile.Read(ref _reading.Next); // before the count: it is final then
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

    /// <summary>Removes the entry that was peeked.</summary>
    public void Remove() => _reading.Entries[_readCount++] = default; // keeps no watcher alive

    /// <summary>Gives the memory back, when the thread has ended.</summary>
    public void Release() => Recorder.ReleaseChunks(_chunkCount);

    private static bool IsRecorded(CpuUsageAsyncWatcher watcher, [NotNullWhen(true)] out CpuUsageAsyncWatcher? counting)
    {
        counting = watcher.Counting;
        return counting is { Companion: null };
    }

    // The last place of a chunk is for the mark of a gap.
    private bool TryWrite(long time, CpuUsageAsyncWatcher? watcher, ref int countOfSwitch)
    {
        if (_writing.Count >= Chunk.Length - 1 && !TryMoveOn())
        {
            if (!_hasGap)
            {
                _hasGap = true;
                _writing.Entries[^1] = new FlowSwitch(time, null, FlowSwitchKind.Gap);
                Volatile.Write(ref _writing.Count, Chunk.Length);
            }

            return false;
        }

        FlowSwitchKind kind = countOfSwitch++ == 0 ? FlowSwitchKind.Switch : FlowSwitchKind.Outer;
        _writing.Entries[_writing.Count] = new FlowSwitch(time, watcher, kind);
        Volatile.Write(ref _writing.Count, _writing.Count + 1);
        return true;
    }

    private bool TryMoveOn()
    {
        _spare ??= Interlocked.Exchange(ref _returned, null);
        Chunk? next = _spare;
        if (next is not null)
        {
            _spare = next.Next;
            next.Next = null;
        }
        else if (_chunkCount < LeastChunks ? Recorder.TakeChunk() > 0 : Recorder.TryTakeChunk())
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
        if (Volatile.Read(ref _chunkCount) > MostKeptChunks)
        {
            Interlocked.Decrement(ref _chunkCount);
            Recorder.ReleaseChunks(1);
            return;
        }

        read.Count = 0;
        read.Next = Interlocked.Exchange(ref _returned, null);
        Volatile.Write(ref _returned, read); // the writer only takes
    }

    private sealed class Chunk
    {
        public const int Length = 170; // 4 KB

        public readonly FlowSwitch[] Entries = new FlowSwitch[Length];
        public int Count;
        public Chunk? Next;
    }
}

/// <summary>An entry of a log.</summary>
/// <param name="Time">In ticks of <see cref="System.Diagnostics.Stopwatch"/>.</param>
/// <param name="Watcher">The watcher that counts from then on; null for none.</param>
/// <param name="Kind">What it says.</param>
internal readonly record struct FlowSwitch(long Time, CpuUsageAsyncWatcher? Watcher, FlowSwitchKind Kind);

internal enum FlowSwitchKind
{
    /// <summary>The thread runs another flow, whose innermost watcher this is.</summary>
    Switch,

    /// <summary>The flow of the switch before has this watcher, too, around the others.</summary>
    Outer,

    /// <summary>Memory had run out: what the thread ran is unknown until the next switch.</summary>
    Gap,
}
