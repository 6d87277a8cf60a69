using Picollo.Interop.Native;

namespace Picollo.PerfEvent;

/// <summary>Reads counters from their pages, without the kernel.</summary>
internal unsafe class PerfPages
{
    private readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> _read;
    private readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> _readCounts;

    // The thread whose counters these are. On another thread, which may run on another CPU, the instruction would read a counter of that
    // CPU. The field holds the object, not the ID, because a later thread may get the same ID.
    private readonly Thread _owner = Thread.CurrentThread;

    // The native library fills this array. Only the owner uses it.
    private readonly PerfPage[] _counters;

    /// <summary>The 1 to 64 pages are in the order of the session's counters. The functions are of <see cref="NativeShim"/>.</summary>
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

    /// <summary>Reads the counters with the times, or the end of a region with the given <paramref name="starts"/>. The end is only for
    /// <see cref="PerfMath.Delta(in PerfReading, in PerfReading, ulong)"/>, and reads the time only if a counter was off in the region:
    /// otherwise nothing is scaled. The start of a region always needs the time, because a counter that was never off until then can be off
    /// later.</summary>
    /// <param name="into">The readings. At the end of a region the times can be older than the counts.</param>
    /// <param name="starts">The readings at the start of the region, or an empty span.</param>
    /// <returns>False if any counter cannot be read now: this is not the counted thread, or a counter is not on the CPU at the
    /// moment.</returns>
    public bool TryRead(Span<PerfReading> into, ReadOnlySpan<PerfReading> starts = default)
    {
        if (Thread.CurrentThread != _owner)
        {
            return false;
        }

        // All or nothing: counters that the kernel must read are read together, at the same moment.
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

    /// <summary>Reads the counters and returns a bit for each one that was read. Tests replace the CPU's instructions.</summary>
    protected virtual ulong ReadAll(PerfPage* counters, int count, bool withTimes) =>
        withTimes ? _read(counters, count) : _readCounts(counters, count);
}
