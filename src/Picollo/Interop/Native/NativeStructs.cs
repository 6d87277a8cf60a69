using System.Runtime.InteropServices;

namespace Picollo.Interop.Native;

/// <summary>struct picollo_jitter of native/picollo_native.h: the state that a measuring loop, native or managed, shares with its reader.
/// The header documents the rules of its ring.</summary>
[StructLayout(LayoutKind.Explicit, Size = 192)]
internal unsafe struct JitterState
{
    /// <summary>PICOLLO_JITTER_LOST: an element with this bit contains the number of samples that were lost at this position.</summary>
    public const ulong LostMark = 1UL << 63;

    /// <summary>The value of <see cref="Loops"/> for an endless loop, and of <see cref="BreakAbove"/> for no limit.</summary>
    public const ulong Unlimited = ulong.MaxValue;

    // The results of a loop. A negative result is a negated error number of a system call.
    public const int Done = 0;
    public const int Broken = 1;

    [FieldOffset(0)] public ulong Interval;

    [FieldOffset(8)] public ulong Loops;

    [FieldOffset(16)] public ulong BreakAbove;

    [FieldOffset(24)] public ulong* Samples;

    [FieldOffset(32)] public ulong SlotCount;

    [FieldOffset(40)] public ulong FirstDue;

    [FieldOffset(48)] public ulong BrokeAt;

    [FieldOffset(56)] public ulong Lost;

    [FieldOffset(64)] public ulong Head;

    [FieldOffset(128)] public ulong Tail;

    [FieldOffset(136)] public ulong Stop;
}

/// <summary>picollo_perf_counter of native/picollo_native.h.</summary>
[StructLayout(LayoutKind.Sequential)]
internal unsafe struct PerfPage
{
    public void* Page;
    public ulong Value;
    public ulong EnabledNanoseconds;
    public ulong RunningNanoseconds;
}
