namespace Picollo.Profiling.Sampling;

/// <summary>Adds samples to the trees of their processes, and tracks the code, programs and children of these processes. Used by one
/// thread.</summary>
internal sealed class SampleCollector
{
    /// <summary>The number of nodes of all processes: 30 MB.</summary>
    private const int MaxNodes = 500_000;

    /// <summary>The maximum number of sampled processes, because a build may start thousands, each with a list of its code. Further
    /// processes are counted but not sampled.</summary>
    private const int MaxProcesses = 1000;

    private readonly bool _followsChildren;
    private readonly int _maxStackLength;
    private readonly Dictionary<int, SampledProcess> _current = [];
    private readonly List<SampledProcess> _processes = [];
    private readonly Dictionary<int, Dictionary<int, ulong>> _eventsOfThreads = []; // by thread, then by ring
    private long _sampleCount;

    /// <summary>The timeline is that of this process, if it is the sampled process. The kept flows are null for a profile.</summary>
    public SampleCollector(
        int processId,
        string name,
        IEnumerable<CodeMapping> mappings,
        bool followsChildren,
        int maxStackLength = DefaultMaxStackLength,
        FlowTimeline? timeline = null,
        KeptFlows? kept = null)
    {
        (_followsChildren, _maxStackLength) = (followsChildren, maxStackLength);
        var budget = new NodeBudget(kept is null ? MaxNodes : KeptFlows.MaxNodes);
        Main = new SampledProcess(processId, name, budget);
        Flows = timeline is null ? null : new FlowSamples(timeline, budget, maxStackLength, kept);
        foreach (CodeMapping mapping in mappings)
        {
            Main.Add(mapping);
        }

        Begin(Main);
    }

    /// <summary>PERF_MAX_STACK_DEPTH of include/uapi/linux/perf_event.h.</summary>
    public const int DefaultMaxStackLength = 127;

    /// <summary>The sampled process, before it executes another program.</summary>
    public SampledProcess Main { get; }

    /// <summary>The samples by flow; null if another process is sampled.</summary>
    public FlowSamples? Flows { get; }

    /// <summary>The sampled processes, in the order in which they appeared.</summary>
    public IReadOnlyList<SampledProcess> Processes => _processes;

    /// <summary>The number of samples so far. Any thread may read it.</summary>
    public long SampleCount => Volatile.Read(ref _sampleCount);

    /// <summary>The number of samples for which the kernel or this class had no room.</summary>
    public long LostCount { get; private set; }

    /// <summary>The number of processes that are missing from the profile because there were too many.</summary>
    public int SkippedProcessCount { get; private set; }

    /// <summary>Handles the next record. Records must be passed in chronological order.</summary>
    public void Handle(in PerfRecord record, int ring)
    {
        if (record.Type is PerfRecordType.Fork or PerfRecordType.Exit)
        {
            _eventsOfThreads.Remove(record.ThreadId); // the ID may now belong to another thread
        }

        if (record.Type == PerfRecordType.Exit)
        {
            Flows?.EndThread(record.ThreadId, record.Time);
        }

        switch (record.Type)
        {
            case PerfRecordType.Lost:
                LostCount += (long)record.LostCount;
                break;
            case PerfRecordType.Fork when record.ProcessId != record.ParentProcessId:
                _current.Remove(record.ProcessId); // a process with this ID has exited
                if (_followsChildren && _current.TryGetValue(record.ParentProcessId, out SampledProcess? parent))
                {
                    Begin(parent.Fork(record.ProcessId));
                }

                break;
            case PerfRecordType.Comm when record.IsExec && _current.TryGetValue(record.ProcessId, out SampledProcess? old):
                Begin(old.Exec(record.Name));
                break;
            case PerfRecordType.Comm when record.ProcessId == record.ThreadId
                && _current.TryGetValue(record.ProcessId, out SampledProcess? renamed):
                renamed.Name = record.Name;
                break;
            case PerfRecordType.Exit when record.ProcessId == record.ThreadId
                && _current.TryGetValue(record.ProcessId, out SampledProcess? ended):
                ended.HasEnded = true;
                break;
            case PerfRecordType.Mmap2 when _current.TryGetValue(record.ProcessId, out SampledProcess? mapping):
                mapping.Add(record.Mapping);
                break;
            case PerfRecordType.Sample when _current.TryGetValue(record.ProcessId, out SampledProcess? sampled)
                && IsCounted(record, ring):
                if (Flows is { KeepsOnlyFlows: true })
                {
                    Flows.Add(record);
                }
                else if (sampled.Samples.TryAdd(record.CallChain, _maxStackLength))
                {
                    Volatile.Write(ref _sampleCount, _sampleCount + 1);
                    Flows?.Add(record);
                }
                else
                {
                    LostCount++;
                }

                break;
        }
    }

    private void Begin(SampledProcess process)
    {
        if (_processes.Count >= MaxProcesses)
        {
            ForgetEnded();
        }

        if (_processes.Count < MaxProcesses)
        {
            _processes.Add(process);
            _current[process.Id] = process;
        }
        else
        {
            _current.Remove(process.Id);
            SkippedProcessCount++;
        }
    }

    /// <summary>Removes processes without samples whose main thread has ended. This is not done earlier, because other threads may still
    /// run.</summary>
    private void ForgetEnded()
    {
        foreach (SampledProcess ended in _processes.FindAll(
            process => process is { HasEnded: true, Samples.SampleCount: 0 } && process != Main))
        {
            _processes.Remove(ended);
            _ = _current.GetValueOrDefault(ended.Id) == ended && _current.Remove(ended.Id);
        }
    }

    /// <summary>Returns whether the event is the one that counts the thread on this CPU. A thread has several events if it was listed
    /// after it had inherited one, and so do the threads that it starts.</summary>
    private bool IsCounted(in PerfRecord sample, int ring)
    {
        ref Dictionary<int, ulong>? events = ref CollectionsMarshal.GetValueRefOrAddDefault(_eventsOfThreads, sample.ThreadId, out _);
        events ??= [];
        return events.TryAdd(ring, sample.EventId) || events[ring] == sample.EventId;
    }
}
