using System.Runtime.InteropServices;

namespace Picollo.Profiling.Sampling;

/// <summary>Adds samples to the trees of their processes, and follows what these processes map, execute and start. One thread uses
/// it.</summary>
internal sealed class SampleCollector
{
    /// <summary>Nodes of all processes: 30 MB.</summary>
    private const int MostNodes = 500_000;

    /// <summary>A build may start thousands, each with a list of its code. Those beyond are counted and not sampled.</summary>
    private const int MostProcesses = 1000;

    private readonly bool _followsChildren;
    private readonly int _longestStack;
    private readonly Dictionary<int, SampledProcess> _current = [];
    private readonly List<SampledProcess> _processes = [];
    private readonly Dictionary<int, Dictionary<int, ulong>> _eventsOfThreads = []; // by thread, then by ring
    private long _sampleCount;

    /// <param name="processId">The process that is sampled.</param>
    /// <param name="name">Its name.</param>
    /// <param name="mappings">Its code when sampling started.</param>
    /// <param name="followsChildren">Whether the processes that it starts belong to the profile.</param>
    /// <param name="longestStack">Number of addresses that the kernel records at most.</param>
    /// <param name="timeline">The flows of this process, if that is the one that is sampled.</param>
    /// <param name="kept">Where flows go that used much CPU time; null for a profile.</param>
    public SampleCollector(
        int processId,
        string name,
        IEnumerable<CodeMapping> mappings,
        bool followsChildren,
        int longestStack = DefaultLongestStack,
        FlowTimeline? timeline = null,
        KeptFlows? kept = null)
    {
        (_followsChildren, _longestStack) = (followsChildren, longestStack);
        var budget = new NodeBudget(kept is null ? MostNodes : KeptFlows.MostNodes);
        Main = new SampledProcess(processId, name, budget);
        Flows = timeline is null ? null : new FlowSamples(timeline, budget, longestStack, kept);
        foreach (CodeMapping mapping in mappings)
        {
            Main.Add(mapping);
        }

        Begin(Main);
    }

    /// <summary>PERF_MAX_STACK_DEPTH of include/uapi/linux/perf_event.h.</summary>
    public const int DefaultLongestStack = 127;

    /// <summary>The process that is sampled, before it executes another program.</summary>
    public SampledProcess Main { get; }

    /// <summary>The samples by flow; null if another process is sampled.</summary>
    public FlowSamples? Flows { get; }

    /// <summary>The sampled processes, in the order in which they appeared.</summary>
    public IReadOnlyList<SampledProcess> Processes => _processes;

    /// <summary>Number of samples so far; any thread may read it.</summary>
    public long SampleCount => Volatile.Read(ref _sampleCount);

    /// <summary>Number of samples that the kernel or this class had no room for.</summary>
    public long LostCount { get; private set; }

    /// <summary>Number of processes that are not in the profile because there were too many.</summary>
    public int SkippedProcessCount { get; private set; }

    /// <summary>Handles the next record.</summary>
    /// <param name="record">The record. Records must come in the order of their times.</param>
    /// <param name="ring">The index of its ring.</param>
    public void Handle(in PerfRecord record, int ring)
    {
        if (record.Type is PerfRecordType.Fork or PerfRecordType.Exit)
        {
            _eventsOfThreads.Remove(record.ThreadId); // the ID may be another thread's from now on
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
                _current.Remove(record.ProcessId); // the ID of a process that has ended
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
                if (Flows is { IsOfFlowsOnly: true })
                {
                    Flows.Add(record);
                }
                else if (sampled.Samples.TryAdd(record.CallChain, _longestStack))
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
        if (_processes.Count >= MostProcesses)
        {
            ForgetEnded();
        }

        if (_processes.Count < MostProcesses)
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

    /// <summary>Forgets processes that have ended without samples. Not earlier: where the main thread has ended, others may go
    /// on.</summary>
    private void ForgetEnded()
    {
        foreach (SampledProcess ended in _processes.FindAll(each => each is { HasEnded: true, Samples.SampleCount: 0 } && each != Main))
        {
            _processes.Remove(ended);
            _ = _current.GetValueOrDefault(ended.Id) == ended && _current.Remove(ended.Id);
        }
    }

    /// <summary>Whether the event is the one by which the thread is counted on this CPU. A thread has several if it was listed after it had
    /// inherited one, and so have the threads that it starts.</summary>
    private bool IsCounted(in PerfRecord sample, int ring)
    {
        ref Dictionary<int, ulong>? events = ref CollectionsMarshal.GetValueRefOrAddDefault(_eventsOfThreads, sample.ThreadId, out _);
        events ??= [];
        return events.TryAdd(ring, sample.EventId) || events[ring] == sample.EventId;
    }
}
