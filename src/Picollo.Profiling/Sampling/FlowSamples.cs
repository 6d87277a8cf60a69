using Picollo.Cpu;

namespace Picollo.Profiling.Sampling;

/// <summary>The samples of this process, by the flow that its threads ran. Used by one thread.</summary>
/// <remarks>Unless <paramref name="kept"/> is null, it receives flows with a label at their end, and nothing else is counted.</remarks>
internal sealed class FlowSamples(FlowTimeline timeline, NodeBudget budget, int maxStackLength, KeptFlows? kept = null)
{
    private readonly Dictionary<CpuUsageAsyncWatcher, SampleTree> _flows = [];
    private readonly Dictionary<CpuUsageAsyncWatcher, SampleTree> _labeled = [];
    private readonly Dictionary<FlowLabel, SampleTree> _labels = [];
    private HashSet<CpuUsageAsyncWatcher> _ended = [];

    /// <summary>The samples by watcher, of watchers without a label. A sample counts for each watcher of its flow.</summary>
    public IReadOnlyDictionary<CpuUsageAsyncWatcher, SampleTree> Flows => _flows;

    /// <summary>The samples by the label of the innermost watcher that has one.</summary>
    public IReadOnlyDictionary<FlowLabel, SampleTree> Labels => _labels;

    public SampleTree Unlabeled { get; } = new(budget);

    /// <summary>The number of samples whose flow is unknown, because switches were lost or memory ran out. They are in
    /// <see cref="Unlabeled"/>, if there was memory for that.</summary>
    public long UnknownCount { get; private set; }

    /// <summary>Reads the recorded switches. Must be called before the records of each read are added.</summary>
    public void Begin() => timeline.Refresh();

    /// <summary>Whether only flows that used a lot of CPU time are kept, and no whole profile.</summary>
    public bool KeepsOnlyFlows => kept is not null;

    public void Add(in PerfRecord sample)
    {
        SampleTree? labeled = null;
        IReadOnlyList<CpuUsageAsyncWatcher>? watchers = timeline.At(sample.ThreadId, (long)sample.Time);
        bool isKnown = watchers is not null;
        foreach (CpuUsageAsyncWatcher watcher in watchers ?? [])
        {
            if (watcher.Label is { } label)
            {
                labeled ??= label == FlowLabel.None || (kept is not null && watcher.IsSuccessor) ? Unlabeled : TreeOf(_labeled, watcher);
            }
            else if (kept is null)
            {
                isKnown &= TreeOf(_flows, watcher).TryAdd(sample.CallChain, maxStackLength);
            }
        }

        labeled ??= Unlabeled;
        isKnown &= kept is null ? labeled.TryAdd(sample.CallChain, maxStackLength)
            : labeled == Unlabeled
                || (labeled.Nodes.Count < KeptFlows.MaxNodesPerFlow && labeled.TryAdd(sample.CallChain, maxStackLength));
        UnknownCount += isKnown ? 0 : 1;
    }

    public void EndThread(int threadId, ulong time) => timeline.Forget(threadId, (long)time);

    /// <summary>Ends a read. Requests that ended before the previous read have received all their samples. These are now added to
    /// the samples of their label.</summary>
    /// <param name="time">The time up to which records were read.</param>
    public void End(ulong time)
    {
        timeline.MoveTo((long)Math.Min(time, long.MaxValue));
        foreach (CpuUsageAsyncWatcher watcher in _ended)
        {
            AddToLabel(watcher);
        }

        _ended = [.. _labeled.Keys.Where(watcher => !watcher.IsRunning)];
    }

    /// <summary>Stops recording. Adds the samples of all requests to the samples of their labels.</summary>
    public void Complete()
    {
        timeline.Dispose();
        foreach (CpuUsageAsyncWatcher watcher in _labeled.Keys.ToList())
        {
            AddToLabel(watcher);
        }
    }

    private void AddToLabel(CpuUsageAsyncWatcher watcher)
    {
        if (!_labeled.Remove(watcher, out SampleTree? samples))
        {
            return;
        }

        samples.Release();
        if (kept is not null)
        {
            kept.Add(watcher, samples);
            return;
        }

        SampleTree all = watcher.Label is { } label && label != FlowLabel.None ? TreeOf(_labels, label) : Unlabeled;
        UnknownCount += samples.SampleCount - all.AddAll(samples);
    }

    private SampleTree TreeOf<TKey>(Dictionary<TKey, SampleTree> trees, TKey key)
        where TKey : class
    {
        ref SampleTree? tree = ref CollectionsMarshal.GetValueRefOrAddDefault(trees, key, out _);
        return tree ??= new SampleTree(budget);
    }
}
