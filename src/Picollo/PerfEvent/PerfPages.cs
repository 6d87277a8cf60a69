using System.Runtime.InteropServices;

namespace Picollo.PerfEvent;

/// <summary>picollo_perf_counter of native/picollo_native.h.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct PerfPage
{
    public void* Page;
    public ulong Value;
    public ulong EnabledNanoseconds;
    public ulong RunningNanoseconds;
}

/// <summary>Reads counters from their pages, without the kernel.</summary>
/// <param name="pages">A page each, in the order of the session's counters.</param>
/// <param name="read">picollo_perf_read, or what stands for it in a test.</param>
internal sealed unsafe class PerfPages(nint[] pages, delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> read)
{
    private readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> _read = read;

    // The thread whose counters these are: on another thread, and so perhaps another CPU, the instruction would read that CPU's counter.
    private readonly int _owner = Environment.CurrentManagedThreadId;

    /// <summary>False if one of them cannot be read here and now: this is not the thread that is counted, or a counter is not on the CPU
    /// at the moment. Then nothing was read.</summary>
    public bool TryRead(Span<PerfReading> into)
    {
        if (Environment.CurrentManagedThreadId != _owner)
        {
            return false;
        }

        PerfPage* counters = stackalloc PerfPage[PerfEventGroup.MaxCounters];
        for (int i = 0; i < pages.Length; i++)
        {
            counters[i].Page = (void*)pages[i];
        }

        // All or nothing: what the kernel would have to be asked for is asked for together, at one moment.
        if (_read(counters, pages.Length) != ulong.MaxValue >> (64 - pages.Length))
        {
            return false;
        }

        for (int i = 0; i < pages.Length; i++)
        {
            into[i] = default;
            into[i].Add(counters[i].Value, counters[i].EnabledNanoseconds, counters[i].RunningNanoseconds);
        }

        return true;
    }
}
