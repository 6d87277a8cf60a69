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
        Software = new PerfSoftwareCounters(this);
        Caches = new PerfCacheCounters(this);
    }

    /// <summary>The hardware counters by their presets; null where one is not in the session.</summary>
    public PerfHardwareCounters Hardware { get; }

    /// <summary>The software counters by their presets; null where one is not in the session.</summary>
    public PerfSoftwareCounters Software { get; }

    /// <summary>The counters of the level-1 and last-level caches by their presets; null where one is not in the session. The indexer
    /// also finds those of other caches.</summary>
    public PerfCacheCounters Caches { get; }

    /// <inheritdoc/>
    public int Count => _counters.Length;

    /// <inheritdoc/>
    public PerfEventCounter this[int index] => _counters[index];

    /// <summary>A hardware counter; null where it is not in the session.</summary>
    /// <param name="id">The counter's preset.</param>
    public PerfEventCounter? this[PerfHardwareCounterId id] => Find(PerfTypeId.Hardware, (ulong)id);

    /// <summary>A cache counter; null where it is not in the session.</summary>
    /// <param name="id">The counter's preset.</param>
    public PerfEventCounter? this[PerfCacheCounterId id] => Find(PerfTypeId.HardwareCache, (ulong)id);

    /// <summary>A software counter; null where it is not in the session.</summary>
    /// <param name="id">The counter's preset.</param>
    public PerfEventCounter? this[PerfSoftwareCounterId id] => Find(PerfTypeId.Software, (ulong)id);

    /// <summary>A counter by its <see cref="PerfEventCounter.Name"/>; null where it is not in the session.</summary>
    /// <param name="name">The name, compared by ordinal.</param>
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

    private PerfEventCounter? Find(PerfTypeId type, ulong config)
    {
        foreach (PerfEventCounter counter in _counters)
        {
            if (counter.Type == type && counter.Config == config)
            {
                return counter;
            }
        }

        return null;
    }
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
