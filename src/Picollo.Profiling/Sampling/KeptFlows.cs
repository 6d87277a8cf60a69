using Picollo.Cpu;

namespace Picollo.Profiling.Sampling;

/// <summary>The samples of the latest flows that used more CPU time than a limit. Thread-safe; only one thread adds flows.</summary>
internal sealed class KeptFlows(TimeSpan limit, Func<FlowLabel, bool>? isKept = null)
{
    public const int MaxPerLabel = 4;

    public const int MaxFlows = 64;

    /// <summary>The maximum number of nodes of all kept flows together. Running flows have an equal limit. Each limit is 6 MB of
    /// memory.</summary>
    public const int MaxNodes = 100_000;

    /// <summary>The maximum number of nodes of one flow, so that a flow that never ends, such as a connection, leaves memory for
    /// others.</summary>
    public const int MaxNodesPerFlow = MaxNodes / 16;

    private readonly Lock _gate = new();
    private readonly List<KeptFlow> _flows = []; // the oldest first

    /// <summary>The kept flows, the latest first.</summary>
    public IReadOnlyList<KeptFlow> All
    {
        get
        {
            lock (_gate)
            {
                return [.. _flows.AsEnumerable().Reverse()];
            }
        }
    }

    /// <summary>Keeps the samples of a flow that has ended, if it used more than the limit.</summary>
    public void Add(CpuUsageAsyncWatcher watcher, SampleTree samples)
    {
        long used = watcher.GetTotalNanoseconds();
        if (watcher.Label is not { } label || label == FlowLabel.None || used <= limit.TotalNanoseconds || isKept?.Invoke(label) == false)
        {
            return;
        }

        lock (_gate)
        {
            _flows.Add(new KeptFlow(label, DateTime.UtcNow, new CpuUsage(used, 0), watcher.WallTime, samples));
            if (_flows.Count(flow => flow.Label == label) > MaxPerLabel)
            {
                _flows.RemoveAt(_flows.FindIndex(flow => flow.Label == label));
            }

            while (_flows.Count > MaxFlows || (_flows.Count > 1 && _flows.Sum(flow => flow.Samples.Nodes.Count) > MaxNodes))
            {
                _flows.RemoveAt(0);
            }
        }
    }
}

/// <summary>A flow whose samples were kept. Its end was detected up to 0.3 s after the end. Its CPU time is user time.</summary>
internal sealed record KeptFlow(FlowLabel Label, DateTime EndTimeUtc, CpuUsage CpuUsage, TimeSpan WallTime, SampleTree Samples);
