using System.Collections;

namespace Picollo.PerfEvent;

/// <summary>The counters of a session, in the order in which they were named.</summary>
/// <remarks>Immutable. Enumerating with <c>foreach</c> over the type itself, indexing and the properties allocate nothing.</remarks>
public sealed class PerfEventCounters : IReadOnlyList<PerfEventCounter>
{
    private readonly PerfEventCounter[] _counters;

    internal PerfEventCounters(PerfEventCounter[] counters)
    {
        _counters = counters;
        Hardware = new PerfHardwareCounters(this);
    }

    /// <summary>The hardware counters by their presets; null where one is not in the session.</summary>
    public PerfHardwareCounters Hardware { get; }

    /// <inheritdoc/>
    public int Count => _counters.Length;

    /// <inheritdoc/>
    public PerfEventCounter this[int index] => _counters[index];

    /// <summary>A hardware counter; null where it is not in the session.</summary>
    /// <param name="id">Which.</param>
    public PerfEventCounter? this[PerfHardwareCounterId id] => Find(PerfEventType.Hardware, (ulong)id);

    /// <summary>A cache counter; null where it is not in the session.</summary>
    /// <param name="id">Which.</param>
    public PerfEventCounter? this[PerfCacheCounterId id] => Find(PerfEventType.HardwareCache, (ulong)id);

    /// <summary>A software counter; null where it is not in the session.</summary>
    /// <param name="id">Which.</param>
    public PerfEventCounter? this[PerfSoftwareCounterId id] => Find(PerfEventType.Software, (ulong)id);

    /// <summary>A counter by its <see cref="PerfEventCounter.Name"/>; null where it is not in the session.</summary>
    /// <param name="name">Exactly.</param>
    public PerfEventCounter? this[string name]
    {
        get
        {
            foreach (PerfEventCounter counter in _counters)
            {
                if (counter.Name == name)
                {
                    return counter;
                }
            }

            return null;
        }
    }

    /// <summary>The counters in order. The loop may contain an <c>await</c>.</summary>
    /// <returns>An enumerator that allocates nothing.</returns>
    public ArraySegment<PerfEventCounter>.Enumerator GetEnumerator() => new ArraySegment<PerfEventCounter>(_counters).GetEnumerator();

    IEnumerator<PerfEventCounter> IEnumerable<PerfEventCounter>.GetEnumerator() => GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    internal ReadOnlySpan<PerfEventCounter> AsSpan() => _counters;

    private PerfEventCounter? Find(uint type, ulong config)
    {
        foreach (PerfEventCounter counter in _counters)
        {
            if (counter.Definition.Type == type && counter.Definition.Config == config)
            {
                return counter;
            }
        }

        return null;
    }
}

/// <summary>A session's hardware counters by name: <c>session.Counters.Hardware.CpuCycles!.Histogram</c>. Each is null where it is not
/// in the session.</summary>
public sealed class PerfHardwareCounters
{
    private readonly PerfEventCounters _counters;

    internal PerfHardwareCounters(PerfEventCounters counters) => _counters = counters;

    /// <inheritdoc cref="PerfHardwareCounterId.CpuCycles"/>
    public PerfEventCounter? CpuCycles => _counters[PerfHardwareCounterId.CpuCycles];

    /// <inheritdoc cref="PerfHardwareCounterId.Instructions"/>
    public PerfEventCounter? Instructions => _counters[PerfHardwareCounterId.Instructions];

    /// <inheritdoc cref="PerfHardwareCounterId.CacheReferences"/>
    public PerfEventCounter? CacheReferences => _counters[PerfHardwareCounterId.CacheReferences];

    /// <inheritdoc cref="PerfHardwareCounterId.CacheMisses"/>
    public PerfEventCounter? CacheMisses => _counters[PerfHardwareCounterId.CacheMisses];

    /// <inheritdoc cref="PerfHardwareCounterId.BranchInstructions"/>
    public PerfEventCounter? BranchInstructions => _counters[PerfHardwareCounterId.BranchInstructions];

    /// <inheritdoc cref="PerfHardwareCounterId.BranchMisses"/>
    public PerfEventCounter? BranchMisses => _counters[PerfHardwareCounterId.BranchMisses];

    /// <inheritdoc cref="PerfHardwareCounterId.BusCycles"/>
    public PerfEventCounter? BusCycles => _counters[PerfHardwareCounterId.BusCycles];

    /// <inheritdoc cref="PerfHardwareCounterId.StalledCyclesFrontend"/>
    public PerfEventCounter? StalledCyclesFrontend => _counters[PerfHardwareCounterId.StalledCyclesFrontend];

    /// <inheritdoc cref="PerfHardwareCounterId.StalledCyclesBackend"/>
    public PerfEventCounter? StalledCyclesBackend => _counters[PerfHardwareCounterId.StalledCyclesBackend];

    /// <inheritdoc cref="PerfHardwareCounterId.RefCpuCycles"/>
    public PerfEventCounter? RefCpuCycles => _counters[PerfHardwareCounterId.RefCpuCycles];
}

/// <summary>An optional counter that this machine lacks, or that this user may not have. Immutable.</summary>
public readonly record struct UnavailablePerfCounter
{
    internal UnavailablePerfCounter(string name, string unavailableReason) => (Name, UnavailableReason) = (name, unavailableReason);

    /// <summary>The name that <see cref="PerfEventCounter.Name"/> would have.</summary>
    public string Name { get; }

    /// <summary>The cause, and the remedy where there is one.</summary>
    public string UnavailableReason { get; }
}
