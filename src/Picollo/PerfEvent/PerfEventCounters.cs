using System.Collections;

namespace Picollo.PerfEvent;

/// <summary>The counters of a session, in the order in which they were added, and by name: <c>session.Counters.CpuCycles</c>.</summary>
/// <remarks>Immutable. A property or an indexer returns <see langword="null"/> if the counter is not in the session. The properties are
/// the counters of the CPU, of the kernel, and of the level-1 and last-level caches; the indexers find all counters. A <c>foreach</c> over
/// the type itself, indexing and the properties do not allocate.</remarks>
public sealed partial class PerfEventCounters : IReadOnlyList<PerfEventCounter>
{
    private readonly PerfEventCounter[] _counters;

    internal PerfEventCounters(PerfEventCounter[] counters) => _counters = counters;

    /// <inheritdoc/>
    public int Count => _counters.Length;

    /// <inheritdoc/>
    public PerfEventCounter this[int index] => _counters[index];

    /// <summary>A hardware counter; <see langword="null"/> if it is not in the session.</summary>
    /// <param name="id">The counter's preset.</param>
    public PerfEventCounter? this[PerfHardwareCounterId id] => Find(PerfTypeId.Hardware, (ulong)id);

    /// <summary>A cache counter; <see langword="null"/> if it is not in the session.</summary>
    /// <param name="id">The counter's preset.</param>
    public PerfEventCounter? this[PerfCacheCounterId id] => Find(PerfTypeId.HardwareCache, (ulong)id);

    /// <summary>A software counter; <see langword="null"/> if it is not in the session.</summary>
    /// <param name="id">The counter's preset.</param>
    public PerfEventCounter? this[PerfSoftwareCounterId id] => Find(PerfTypeId.Software, (ulong)id);

    /// <summary>A counter by its <see cref="PerfEventCounter.Name"/>; <see langword="null"/> if it is not in the session.</summary>
    /// <param name="name">The name; the comparison is ordinal.</param>
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

    /// <summary>Enumerates the counters in order. The loop may contain an <c>await</c>.</summary>
    /// <returns>An enumerator that does not allocate.</returns>
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
