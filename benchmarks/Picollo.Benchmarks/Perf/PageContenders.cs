using System.Runtime.InteropServices;
using Picollo.Interop.Native;

namespace Picollo.Benchmarks.Perf;

/// <summary>What any call of the library takes.</summary>
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

/// <summary>Reads in a loop of C, and as many calls that do nothing: what a call from managed code is made of.</summary>
internal sealed unsafe class LoopInC(BareLibrary bare, int count, bool withCalls, bool ofNothing)
    : Contender($"a C loop's read of {count}{(withCalls ? " and an empty P/Invoke" : "")}", PerfComparison.Reads)
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

/// <summary>The floor of a read: its instructions, of the counters and of the time, in a loop of C.</summary>
internal sealed unsafe class Instructions(BareLibrary bare, int count)
    : Contender($"a C loop of {count} instructions and nothing else", PerfComparison.Reads)
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public override void Run(int operations) => bare.LoopOfInstructions(null, count, operations);
}

/// <summary>The library's read of <paramref name="count"/> counters, called as a session calls it.</summary>
internal sealed unsafe class ShimReads(BareLibrary bare, int count, bool ofNothing, bool withTimes = true)
    : Contender($"{(withTimes ? "picollo_perf_read" : "picollo_perf_read_counts")} of {count}", PerfComparison.Reads)
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
            $"read {_mask:b}, {_counters[0].RunningNanoseconds} ns.");
    }
}

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
