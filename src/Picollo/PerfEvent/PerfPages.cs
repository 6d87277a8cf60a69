using Picollo.Interop.Native;

namespace Picollo.PerfEvent;

/// <summary>Reads counters from their pages, without the kernel.</summary>
internal unsafe class PerfPages
{
    private readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> _read;
    private readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> _readCounts;

    // The thread whose counters these are: on another thread, and so perhaps another CPU, the instruction would read that CPU's counter.
    // The object and not its number, which a later thread gets again.
    private readonly Thread _owner = Thread.CurrentThread;

    // The library fills them in. The owner alone uses them.
    private readonly PerfPage[] _counters;

    /// <param name="pages">A page each, in the order of the session's counters: 1 to 64.</param>
    /// <param name="read">picollo_perf_read.</param>
    /// <param name="readCounts">picollo_perf_read_counts.</param>
    public PerfPages(
        ReadOnlySpan<nint> pages,
        delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> read,
        delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> readCounts)
    {
        _read = read;
        _readCounts = readCounts;
        _counters = new PerfPage[pages.Length];
        for (int i = 0; i < pages.Length; i++)
        {
            _counters[i].Page = (void*)pages[i];
        }
    }

    /// <summary>Reads the counters with the times, or as the end of a region whose <paramref name="starts"/> are given. The end is for
    /// <see cref="PerfMath.Delta(in PerfReading, in PerfReading, ulong)"/> alone, and reads the time only if a counter was off in the
    /// region: otherwise nothing is scaled. The start of a region needs the time in any case, because a counter that was never off until
    /// then can be off later.</summary>
    /// <param name="into">The readings. At the end of a region the times can be older than the counts.</param>
    /// <param name="starts">The readings at the start of the region, or nothing.</param>
    /// <returns>False if one of them cannot be read here and now: this is not the thread that is counted, or a counter is not on the CPU
    /// at the moment.</returns>
    public bool TryRead(Span<PerfReading> into, ReadOnlySpan<PerfReading> starts = default)
    {
        if (Thread.CurrentThread != _owner)
        {
            return false;
        }

        // All or nothing: what the kernel would have to be asked for is asked for together, at one moment.
        PerfPage[] counters = _counters;
        fixed (PerfPage* first = counters)
        {
            if (ReadAll(first, counters.Length, withTimes: starts.IsEmpty) != ulong.MaxValue >> (64 - counters.Length))
            {
                return false;
            }
        }

        ulong off = 0;
        for (int i = 0; i < counters.Length; i++)
        {
            ref PerfPage counter = ref counters[i];
            into[i] = new PerfReading(counter.Value, counter.EnabledNanoseconds, counter.RunningNanoseconds);
            if (i < starts.Length)
            {
                off |= (counter.EnabledNanoseconds - counter.RunningNanoseconds) ^ starts[i].OffNanoseconds;
            }
        }

        return off == 0 || TryRead(into);
    }

    /// <summary>Reads the counters and returns which were read, one bit each. Tests replace the CPU's instructions.</summary>
    protected virtual ulong ReadAll(PerfPage* counters, int count, bool withTimes) =>
        withTimes ? _read(counters, count) : _readCounts(counters, count);
}
