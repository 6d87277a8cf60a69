using Picollo.Cpu;

namespace Picollo.Profiling.Sampling;

/// <summary>The samples of the last flows that used more CPU time than a limit. Thread-safe; one thread adds.</summary>
/// <param name="limit">The CPU time of a flow that is not kept yet.</param>
/// <param name="isKept">Whether flows with a label are kept at all; null for all flows.</param>
internal sealed class KeptFlows(TimeSpan limit, Func<FlowLabel, bool>? isKept = null)
{
    /// <summary>The number of flows that are kept for each label.</summary>
    public const int MostOfLabel = 4;

    /// <summary>The number of flows that are kept at most.</summary>
    public const int Most = 64;

    /// <summary>The memory for the samples of all of them, and as much for those of flows that run: 6 MB each.</summary>
    public const int MostNodes = 100_000;

    /// <summary>The number of nodes from which on a flow takes no more: one that never ends, such as a connection, leaves memory to
    /// others.</summary>
    public const int MostNodesOfFlow = MostNodes / 16;

    private readonly Lock _gate = new();
    private readonly List<KeptFlow> _flows = []; // the oldest first

    /// <summary>Those that are kept, the latest first.</summary>
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
            if (_flows.Count(flow => flow.Label == label) > MostOfLabel)
            {
                _flows.RemoveAt(_flows.FindIndex(flow => flow.Label == label));
            }

            while (_flows.Count > Most || (_flows.Count > 1 && _flows.Sum(flow => flow.Samples.Nodes.Count) > MostNodes))
            {
                _flows.RemoveAt(0);
            }
        }
    }
}

/// <summary>A flow whose samples were kept.</summary>
/// <param name="Label">What it was for.</param>
/// <param name="EndTimeUtc">When its end was noticed: up to 0.1 s after it.</param>
/// <param name="CpuUsage">Its CPU time, as user time.</param>
/// <param name="WallTime">From its start to its end.</param>
/// <param name="Samples">Its samples.</param>
internal sealed record KeptFlow(FlowLabel Label, DateTime EndTimeUtc, CpuUsage CpuUsage, TimeSpan WallTime, SampleTree Samples);
