using System.Runtime.InteropServices;

namespace Picollo.Interop.Native;

/// <summary>struct picollo_jitter of native/picollo_native.h: what a measuring loop, native or managed, shares with the rest. The rules
/// of its ring stand there.</summary>
[StructLayout(LayoutKind.Explicit, Size = 192)]
internal unsafe struct JitterState
{
    /// <summary>PICOLLO_JITTER_LOST: a place with this bit holds how many samples were lost there.</summary>
    public const ulong LostMark = 1UL << 63;

    /// <summary>Of <see cref="Loops"/> for no end, and of <see cref="BreakAbove"/> for never.</summary>
    public const ulong Unlimited = ulong.MaxValue;

    // What a loop returns; an error number, negated, where the system refused a call.
    public const int Done = 0;
    public const int Broken = 1;

    [FieldOffset(0)] public ulong Interval;

    [FieldOffset(8)] public ulong Loops;

    [FieldOffset(16)] public ulong BreakAbove;

    [FieldOffset(24)] public ulong* Samples;

    [FieldOffset(32)] public ulong Places;

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
