using System.Runtime.InteropServices;

namespace Picollo.Interop.Native;

/// <summary>picollo_perf_counter of native/picollo_native.h.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct PerfPage
{
    public void* Page;
    public ulong Value;
    public ulong EnabledNanoseconds;
    public ulong RunningNanoseconds;
}
