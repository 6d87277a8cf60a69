using System.Buffers.Binary;
using System.Diagnostics.Tracing;
using Picollo.Cpu;
using Picollo.Profiling.Events;
using Picollo.Profiling.Sampling;

namespace Picollo.Profiling.Waits;

/// <summary>Adds up the waits of threads, and the times in the queue of the thread pool, by the flow that waited.</summary>
/// <remarks>
/// <para>The events of waits come from one source, with stacks, and those of the thread pool from another, without. Two threads add them.
/// They arrive in any order, so they are kept until all earlier ones have arrived.</para>
/// <para>A lock that is not free raises two events: one for the lock, and one for the wait handle on which its thread waits. Only the
/// outermost wait counts.</para>
/// </remarks>
internal sealed class WaitCollector(FlowTimeline timeline)
{
    private const string Runtime = "Microsoft-Windows-DotNETRuntime";
    private const string Framework = "System.Diagnostics.Eventing.FrameworkEventSource";

    private const int None = int.MinValue;
    private const int MaxEvents = 500_000; // 16 MB
    private const int MaxSums = 100_000;
    private const int MaxNodes = 200_000; // 12 MB
    private const int MaxQueued = 200_000;

    private readonly Lock _gate = new();
    private readonly long[] _complete = new long[Sources.Count];
    private readonly long[] _lost = new long[Sources.Count];
    private readonly List<WaitEvent> _events = [];
    private readonly Dictionary<int, ThreadWaits> _threads = [];
    private readonly Dictionary<long, long> _queued = []; // times, by the ID of the work
    private readonly Dictionary<CpuUsageAsyncWatcher, Dictionary<int, WaitSum>> _flows = [];
    private readonly Dictionary<FlowLabel, Dictionary<int, WaitSum>> _labels = [];
    private readonly Dictionary<CpuUsageAsyncWatcher, long> _ended = []; // the time at which it was noticed
    private int _sumCount;
    private long _handledTime;
    private volatile bool _hasPoolEvents;

    /// <summary>The providers of each source, and whether their events need stacks.</summary>
    public static IReadOnlyList<(EventProvider Provider, bool HasStacks)> Sources { get; } =
    [
        (new(Runtime, 0x4000 | 0x400_0000_0000, EventLevel.Verbose), true), // Contention, WaitHandle
        (new(Framework, 0x2, EventLevel.Verbose), false), // ThreadPool
    ];

    /// <summary>The stacks of the waits.</summary>
    public SampleTree Stacks { get; } = new(new NodeBudget(MaxNodes));

    /// <summary>The waits of each label, by the node of their stack. What belongs to no label is in <see cref="FlowLabel.None"/>, without
    /// stacks.</summary>
    public IReadOnlyDictionary<FlowLabel, Dictionary<int, WaitSum>> Labels => _labels;

    /// <summary>The number of waits whose flow is unknown.</summary>
    public long UnknownCount { get; private set; }

    /// <summary>Whether an event of the thread pool has arrived.</summary>
    public bool HasPoolEvents => _hasPoolEvents;

    /// <summary>Adds the current event of a source.</summary>
    public void Add(NettraceReader reader, int source)
    {
        lock (_gate)
        {
            if (reader.LostCount > _lost[source])
            {
                _lost[source] = reader.LostCount;
                Add(new WaitEvent(reader.Time - 1, 0, WaitEventKind.Lost, 0));
            }

            if (KindOf(reader.Description) is { } kind)
            {
                long id = kind is WaitEventKind.Queued or WaitEventKind.Dequeued
                    ? BinaryPrimitives.TryReadInt64LittleEndian(reader.Payload, out long work) ? work : 0
                    : kind is WaitEventKind.Start or WaitEventKind.LockStart
                        ? Stacks.TryAdd(reader.Stack, int.MaxValue, out int node) ? node : WaitSum.NoStack
                    : 0;
                Add(new WaitEvent(reader.Time, (int)reader.ThreadId, kind, id));
                _hasPoolEvents |= kind is WaitEventKind.Queued or WaitEventKind.Dequeued;
            }

            MoveTo(reader.CompleteTime, source);
        }
    }

    /// <summary>Reports the time before which no event of a source follows.</summary>
    public void MoveTo(long time, int source)
    {
        lock (_gate)
        {
            _complete[source] = Math.Max(_complete[source], time);
            long complete = Math.Min(_complete[0], _complete[1]);
            if (complete - _handledTime > Stopwatch.Frequency / 20)
            {
                Handle(complete);
            }
        }
    }

    internal void Add(in WaitEvent next)
    {
        if (_events.Count == MaxEvents)
        {
            Handle(_events.Max(static each => each.Time));
        }

        _events.Add(next);
    }

    /// <summary>Ends all waits, after the last event.</summary>
    public void Complete(long time)
    {
        Handle(time);
        time = Math.Max(time, _handledTime); // some later events may have been handled already
        foreach ((int thread, ThreadWaits waits) in _threads)
        {
            if (waits is { LockStart: > 0, InnerEnd: > 0 })
            {
                EndLock(waits);
            }

            (long start, int node) = waits.LockStart > 0 ? (waits.LockStart, waits.LockNode) : (waits.Start, waits.Node);
            if (start > timeline.LastSwitch(thread)) // otherwise, the wait was interrupted
            {
                AddWait(thread, waits, node, time, time - start, count: 1);
            }
        }

        foreach (CpuUsageAsyncWatcher watcher in _flows.Keys.ToList())
        {
            AddToLabel(watcher);
        }
    }

    private static WaitEventKind? KindOf(EventDescription description) => (description.Id, description.Provider) switch
    {
        (81, Runtime) => WaitEventKind.LockStart,
        (91, Runtime) => WaitEventKind.LockEnd,
        (301, Runtime) => WaitEventKind.Start,
        (302, Runtime) => WaitEventKind.End,
        (30, Framework) => WaitEventKind.Queued,
        (31, Framework) => WaitEventKind.Dequeued,
        _ => null,
    };

    /// <summary>Handles the events up to a time, after which no earlier ones arrive.</summary>
    private void Handle(long time)
    {
        timeline.Refresh(); // what was recorded before the events
        _events.Sort(static (one, other) => one.Time.CompareTo(other.Time));
        int count = 0;
        for (; count < _events.Count && _events[count].Time <= time; count++)
        {
            Handle(_events[count]);
        }

        _events.RemoveRange(0, count);
        _handledTime = Math.Max(_handledTime, time);
        foreach ((int thread, ThreadWaits waits) in _threads)
        {
            AddQueueTime(thread, waits, _handledTime);
        }

        timeline.MoveTo(_handledTime);
        long now = Stopwatch.GetTimestamp();
        foreach (CpuUsageAsyncWatcher watcher in _flows.Keys.Where(watcher => !watcher.IsRunning).ToList())
        {
            if (!_ended.TryAdd(watcher, now) && _ended[watcher] < _handledTime)
            {
                AddToLabel(watcher);
            }
        }
    }

    private void Handle(in WaitEvent next)
    {
        if (next.Kind == WaitEventKind.Queued)
        {
            if (_queued.Count == MaxQueued)
            {
                _queued.Clear(); // most of them were taken without an event
            }

            _queued[next.Id] = next.Time;
            return;
        }

        if (next.Kind == WaitEventKind.Lost)
        {
            _threads.Clear(); // starts without ends, and ends without starts
            return;
        }

        ref ThreadWaits? found = ref CollectionsMarshal.GetValueRefOrAddDefault(_threads, next.ThreadId, out _);
        ThreadWaits waits = found ??= new ThreadWaits();
        switch (next.Kind)
        {
            case WaitEventKind.Start when waits.LockStart > 0 && IsInner(waits, (int)next.Id):
                (waits.InnerNode, waits.InnerEnd) = ((int)next.Id, 0);
                break;
            case WaitEventKind.Start:
                EndLock(waits);
                (waits.Start, waits.Node) = (next.Time, (int)next.Id);
                break;
            case WaitEventKind.End when waits.Start > 0:
                AddWait(next.ThreadId, waits, waits.Node, next.Time, next.Time - waits.Start, count: 1);
                waits.Start = 0;
                break;
            case WaitEventKind.End when waits.LockStart > 0:
                AddQueueTime(next.ThreadId, waits, next.Time);
                (waits.InnerEnd, waits.InnerFlow) = (next.Time, FlowAt(next.ThreadId, next.Time));
                break;
            case WaitEventKind.LockStart:
                EndLock(waits);
                (waits.LockStart, waits.LockNode, waits.InnerNode, waits.InnerEnd) = (next.Time, (int)next.Id, None, 0);
                break;
            case WaitEventKind.LockEnd when waits.LockStart > 0:
                // After Monitor.Wait, a thread waits a second time, for the lock.
                bool isSame = waits.LockNode == waits.Node && waits.Node != WaitSum.NoStack;
                AddWait(next.ThreadId, waits, waits.LockNode, next.Time, next.Time - waits.LockStart, isSame ? 0 : 1);
                waits.LockStart = 0;
                break;
            case WaitEventKind.Dequeued:
                EndLock(waits);
                AddQueueTime(next.ThreadId, waits, next.Time);
                AddQueueTimeOfNone(waits);
                (waits.Dequeued, waits.QueueTicks) = _queued.Remove(next.Id, out long start) ? (next.Time, next.Time - start) : (0, 0);
                break;
        }
    }

    /// <summary>Ends the wait for a lock with its last wait handle. The runtime reports no other end if the lock was not entered, because
    /// of a timeout or an interruption.</summary>
    private void EndLock(ThreadWaits waits)
    {
        if (waits.LockStart > 0 && waits.InnerEnd > 0)
        {
            Add(waits.InnerFlow, waits.LockNode, waits.InnerEnd - waits.LockStart, count: 1);
        }

        (waits.LockStart, waits.Start) = (0, 0); // a wait that was interrupted has no end
    }

    /// <summary>Whether a wait handle is a part of the wait for a lock: the caller of the method that reported the lock also called the
    /// wait handle. A thread that was interrupted before it waited for the lock has none.</summary>
    private bool IsInner(ThreadWaits waits, int node)
    {
        IReadOnlyList<SampleTree.Node> nodes = Stacks.Nodes;
        bool isUnknown = waits.InnerNode == None && node >= 0 && (uint)waits.LockNode < (uint)nodes.Count;
        int caller = isUnknown ? nodes[waits.LockNode].Parent : WaitSum.NoStack;
        if (caller < 0)
        {
            return waits.InnerNode == None || waits.InnerNode == node;
        }

        while (node >= 0 && nodes[node].Address != nodes[caller].Address)
        {
            node = nodes[node].Parent;
        }

        return node >= 0;
    }

    private void AddWait(int thread, ThreadWaits waits, int node, long time, long ticks, int count)
    {
        AddQueueTime(thread, waits, time);
        bool isKnown = time >= _handledTime && _sumCount < MaxSums && timeline.At(thread, time) is not null;
        UnknownCount += isKnown ? 0 : 1;
        Add(isKnown ? FlowAt(thread, time) : null, node, ticks, count);
    }

    /// <summary>Adds the time in the queue of the work that a thread has taken last, to the first flow that the thread has entered since
    /// then.</summary>
    private void AddQueueTime(int thread, ThreadWaits waits, long until)
    {
        while (waits.Dequeued > 0 && timeline.NextSwitch(thread, until) is { } time)
        {
            if (FlowAt(thread, time) is { } watcher && time >= waits.Dequeued)
            {
                bool hasStarted = _flows.ContainsKey(watcher) || watcher.IsSuccessor
                    || watcher.WallNanoseconds > FlowMoment.ToNanoseconds(Stopwatch.GetTimestamp() - waits.Dequeued);
                int node = hasStarted ? WaitSum.InQueue : WaitSum.InQueueBefore;
                waits.Dequeued = 0;
                Add(watcher, node, waits.QueueTicks, count: 1);
            }
        }
    }

    private void AddQueueTimeOfNone(ThreadWaits waits)
    {
        if (waits.Dequeued > 0)
        {
            Add(null, WaitSum.InQueue, waits.QueueTicks, count: 1);
        }
    }

    /// <summary>Returns the innermost watcher with a label of a thread; null for none.</summary>
    private CpuUsageAsyncWatcher? FlowAt(int thread, long time) =>
        timeline.At(thread, time)?.FirstOrDefault(watcher => watcher.Label is not null);

    private void Add(CpuUsageAsyncWatcher? watcher, int node, long ticks, int count)
    {
        Dictionary<int, WaitSum> sums = watcher is null
            ? CollectionsMarshal.GetValueRefOrAddDefault(_labels, FlowLabel.None, out _) ??= []
            : CollectionsMarshal.GetValueRefOrAddDefault(_flows, watcher, out _) ??= [];
        Add(sums, watcher is null ? WithoutStack(node) : node, new WaitSum(count, ticks, ticks));
    }

    private static int WithoutStack(int node) => node < WaitSum.NoStack ? WaitSum.InQueue : WaitSum.NoStack;

    private void Add(Dictionary<int, WaitSum> sums, int node, WaitSum sum)
    {
        ref WaitSum all = ref CollectionsMarshal.GetValueRefOrAddDefault(sums, node, out bool isKnown);
        all = all.With(sum);
        _sumCount += isKnown ? 0 : 1;
    }

    private void AddToLabel(CpuUsageAsyncWatcher watcher)
    {
        if (!_flows.Remove(watcher, out Dictionary<int, WaitSum>? sums))
        {
            return;
        }

        _ended.Remove(watcher);
        _sumCount -= sums.Count;
        FlowLabel label = watcher.Label ?? FlowLabel.None;
        Dictionary<int, WaitSum> all = CollectionsMarshal.GetValueRefOrAddDefault(_labels, label, out _) ??= [];
        foreach ((int node, WaitSum sum) in sums)
        {
            Add(all, label == FlowLabel.None ? WithoutStack(node) : node, sum);
        }
    }

    /// <summary>The current waits of a thread. The times are 0 for none.</summary>
    private sealed class ThreadWaits
    {
        public long Start;
        public int Node;
        public long LockStart;
        public int LockNode;
        public int InnerNode; // of the wait handles of the lock
        public long InnerEnd; // of the last one; 0 while the thread waits for it
        public CpuUsageAsyncWatcher? InnerFlow;
        public long Dequeued;
        public long QueueTicks;
    }
}

/// <summary>The number of some waits, and their total and longest time in ticks of <see cref="Stopwatch"/>.</summary>
internal readonly record struct WaitSum(long Count, long Ticks, long LongestTicks)
{
    /// <summary>The place of waits without a stack.</summary>
    public const int NoStack = -1;

    /// <summary>The place of times in the queue of the thread pool before a flow continues.</summary>
    public const int InQueue = -2;

    /// <summary>The place of times in the queue of the thread pool before a flow starts, which are not part of its duration.</summary>
    public const int InQueueBefore = -3;

    public WaitSum With(WaitSum other) =>
        new(Count + other.Count, Ticks + other.Ticks, Math.Max(LongestTicks, other.LongestTicks));
}

/// <summary>An event of a thread. The ID is the node of the stack of a wait, or identifies work of the thread pool.</summary>
internal readonly record struct WaitEvent(long Time, int ThreadId, WaitEventKind Kind, long Id);

internal enum WaitEventKind
{
    Start,
    End,
    LockStart,
    LockEnd,
    Queued,
    Dequeued,

    /// <summary>Events before this time were lost.</summary>
    Lost,
}
