using System.Runtime.InteropServices;
using Picollo.Interop.Native;

namespace Picollo.Benchmarks.Perf;

/// <summary>Measures an empty call of the library.</summary>
internal sealed unsafe class EmptyCall(BareLibrary bare) : Contender("empty P/Invoke, SuppressGCTransition", PerfComparison.Reads)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        delegate* unmanaged[SuppressGCTransition]<int> empty = bare.Empty;
        for (int i = 0; i < operations; i++)
        {
            _ = empty();
        }
    }
}

/// <summary>Measures reads in a C loop, optionally with the same number of empty calls. Together, these are the parts of a call from managed
/// code.</summary>
internal sealed unsafe class LoopInC(BareLibrary bare, int count, bool withCalls, bool ofNothing)
    : Contender($"read in a C loop, counters: {count}{(withCalls ? ", and an empty P/Invoke" : "")}", PerfComparison.Reads)
{
    private readonly PerfPage* _counters = SimulatedPages.Counters(count);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        (ofNothing ? bare.LoopOfNothing : bare.Loop)(_counters, count, operations);
        if (withCalls)
        {
            delegate* unmanaged[SuppressGCTransition]<int> empty = bare.Empty;
            for (int i = 0; i < operations; i++)
            {
                _ = empty();
            }
        }
    }
}

/// <summary>The lower bound for a read: only its instructions, for the counters and the time, in a C loop.</summary>
internal sealed unsafe class Instructions(BareLibrary bare, int count)
    : Contender($"only the instructions in a C loop, counters: {count}", PerfComparison.Reads)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations) => bare.LoopOfInstructions(null, count, operations);
}

/// <summary>Measures the library's read of <paramref name="count"/> counters, called in the same way as by a session.</summary>
internal sealed unsafe class ShimReads(BareLibrary bare, int count, bool ofNothing, bool withTimes = true)
    : Contender($"{(withTimes ? "picollo_perf_read" : "picollo_perf_read_counts")}, counters: {count}", PerfComparison.Reads)
{
    private readonly PerfPage* _counters = SimulatedPages.Counters(count);
    private ulong _mask;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations)
    {
        delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, ulong> read = withTimes
            ? ofNothing ? bare.ReadNothing : bare.Read
            : ofNothing ? bare.ReadNothingCounts : bare.ReadCounts;
        PerfPage* counters = _counters;
        ulong mask = ulong.MaxValue;
        for (int i = 0; i < operations; i++)
        {
            mask &= read(counters, count);
        }

        _mask = mask;
    }

    public override void Verify()
    {
        Run(Operations);
        Require(
            _mask == (1ul << count) - 1 && _counters[0].RunningNanoseconds == (withTimes ? 1_000_001ul : 1_000_000),
            $"the mask is {_mask:b}, and the time is {_counters[0].RunningNanoseconds} ns.");
    }
}

/// <summary>Creates pages like those that the kernel of an x64 machine maps for counters on the CPU (include/uapi/linux/perf_event.h). They are
/// never freed.</summary>
internal static unsafe class SimulatedPages
{
    private const ulong CapUserRdpmc = 1 << 2, CapUserTime = 1 << 3;
    private const nuint PageSize = 4096;

    /// <summary>Creates a number of counters in the array that the library fills in.</summary>
    public static PerfPage* Counters(int count)
    {
        var counters = (PerfPage*)NativeMemory.AllocZeroed((nuint)count, (nuint)sizeof(PerfPage));
        for (uint i = 0; i < count; i++)
        {
            counters[i].Page = Page(index: i + 1);
        }

        return counters;
    }

    /// <summary>Creates a page whose time does not advance.</summary>
    public static void* Page(uint index)
    {
        byte* page = (byte*)NativeMemory.AlignedAlloc(PageSize, PageSize);
        NativeMemory.Clear(page, PageSize);
        *(uint*)(page + 12) = index;
        *(ulong*)(page + 24) = *(ulong*)(page + 32) = 1_000_000; // enabled, running
        *(ulong*)(page + 40) = CapUserRdpmc | CapUserTime;
        *(ushort*)(page + 48) = 48; // width
        *(ulong*)(page + 56) = 1; // time offset; the multiplier is 0, so this is the whole time since the update
        return page;
    }
}
