using Picollo.Interop.Native;

namespace Picollo.PerfEvent;

/// <summary>Reads counters from their pages, without the kernel.</summary>
internal unsafe class PerfPages
{
    private readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> _read;

    // The thread whose counters these are: on another thread, and so perhaps another CPU, the instruction would read that CPU's counter.
    // The object and not its number, which a later thread gets again.
    private readonly Thread _owner = Thread.CurrentThread;

    // The library fills them in. The owner alone uses them.
    private readonly PerfPage[] _counters;

    /// <param name="pages">A page each, in the order of the session's counters: 1 to 64.</param>
    /// <param name="read">picollo_perf_read.</param>
    public PerfPages(ReadOnlySpan<nint> pages, delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> read)
    {
        _read = read;
        _counters = new PerfPage[pages.Length];
        for (int i = 0; i < pages.Length; i++)
        {
            _counters[i].Page = (void*)pages[i];
        }
    }

    /// <summary>False if one of them cannot be read here and now: this is not the thread that is counted, or a counter is not on the CPU
    /// at the moment. Then nothing was read.</summary>
    public bool TryRead(Span<PerfReading> into)
    {
        if (Thread.CurrentThread != _owner)
        {
            return false;
        }

        // All or nothing: what the kernel would have to be asked for is asked for together, at one moment.
        PerfPage[] counters = _counters;
        fixed (PerfPage* first = counters)
        {
            if (ReadAll(first, counters.Length) != ulong.MaxValue >> (64 - counters.Length))
            {
                return false;
            }
        }

        for (int i = 0; i < counters.Length; i++)
        {
            ref PerfReading reading = ref into[i];
            reading = default;
            reading.Add(counters[i].Value, counters[i].EnabledNanoseconds, counters[i].RunningNanoseconds);
        }

        return true;
    }

    /// <summary>Reads the counters and says which were read, a bit each; tests put other instructions in the place of the
    /// CPU's.</summary>
    protected virtual ulong ReadAll(PerfPage* counters, int count) => _read(counters, count);
}
