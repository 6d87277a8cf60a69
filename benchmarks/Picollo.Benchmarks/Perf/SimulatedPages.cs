using System.Runtime.InteropServices;
using Picollo.Interop.Native;

namespace Picollo.Benchmarks.Perf;

/// <summary>Pages as the kernel of an x64 machine maps them for counters that are on the CPU (include/uapi/linux/perf_event.h), never
/// freed.</summary>
internal static unsafe class SimulatedPages
{
    private const ulong CapUserRdpmc = 1 << 2, CapUserTime = 1 << 3;
    private const nuint PageSize = 4096;

    /// <summary>So many counters, and the array that the library fills in.</summary>
    public static PerfPage* Counters(int count)
    {
        var counters = (PerfPage*)NativeMemory.AllocZeroed((nuint)count, (nuint)sizeof(PerfPage));
        for (uint i = 0; i < count; i++)
        {
            counters[i].Page = Page(index: i + 1);
        }

        return counters;
    }

    /// <summary>A page whose time stands still.</summary>
    public static void* Page(uint index)
    {
        byte* page = (byte*)NativeMemory.AlignedAlloc(PageSize, PageSize);
        NativeMemory.Clear(page, PageSize);
        *(uint*)(page + 12) = index;
        *(ulong*)(page + 24) = *(ulong*)(page + 32) = 1_000_000; // enabled, running
        *(ulong*)(page + 40) = CapUserRdpmc | CapUserTime;
        *(ushort*)(page + 48) = 48; // width
        *(ulong*)(page + 56) = 1; // with a factor of 0, all of the time since the update
        return page;
    }
}
