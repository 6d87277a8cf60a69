using System.Runtime.InteropServices;

namespace Picollo.Tests.PerfEvent;

/// <summary>A page as the kernel maps it for a counter (struct perf_event_mmap_page of include/uapi/linux/perf_event.h), which the test
/// writes.</summary>
internal sealed unsafe class SimulatedPage : IDisposable
{
    private const ulong CapUserRdpmc = 1 << 2, CapUserTime = 1 << 3;

    private byte* _memory = (byte*)NativeMemory.AllocZeroed(4096);

    public void* Address => _memory;

    /// <summary>Odd while the kernel writes the page; a different number after each change.</summary>
    public ref uint Lock => ref *(uint*)(_memory + 8);

    /// <summary>The number of the CPU's counter, plus 1; 0 while the event is not on a counter.</summary>
    public ref uint Index => ref *(uint*)(_memory + 12);

    public ref long Offset => ref *(long*)(_memory + 16);

    public ref ulong TimeEnabled => ref *(ulong*)(_memory + 24);

    public ref ulong TimeRunning => ref *(ulong*)(_memory + 32);

    public ref ushort Width => ref *(ushort*)(_memory + 48);

    /// <summary>The difference of the page's time and <see cref="TimeRunning"/>. Because the factor is 0, the CPU's time counter does not
    /// affect the time.</summary>
    public ref ulong TimeOffset => ref *(ulong*)(_memory + 56);

    public bool OffersCounter
    {
        get => (Capabilities & CapUserRdpmc) != 0;
        set => Capabilities = value ? Capabilities | CapUserRdpmc : Capabilities & ~CapUserRdpmc;
    }

    public bool OffersTime
    {
        get => (Capabilities & CapUserTime) != 0;
        set => Capabilities = value ? Capabilities | CapUserTime : Capabilities & ~CapUserTime;
    }

    private ref ulong Capabilities => ref *(ulong*)(_memory + 40);

    public void Dispose()
    {
        NativeMemory.Free(_memory);
        _memory = null;
    }
}
