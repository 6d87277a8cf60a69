using Picollo.Interop.Native;
using Picollo.PerfEvent;

namespace Picollo.Tests.PerfEvent;

/// <summary>Simulated pages, which the native library reads with replaced instructions: each counter of the CPU has the value
/// <see cref="CounterValue"/>.</summary>
internal sealed unsafe class ShimPages(SimulatedPage[] pages) : PerfPages([.. pages.Select(page => (nint)page.Address)], null, null)
{
    /// <summary>The value of picollo_abi_version, which replaces the instruction. A function that is called without a GC transition must be
    /// native.</summary>
    public const long CounterValue = NativeShim.AbiVersion;

    private static readonly SystemNativeLibraries Libraries = new();
    private static readonly delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, nint, nint, ulong> ReadWith =
        (delegate* unmanaged[SuppressGCTransition]<PerfPage*, int, nint, nint, ulong>)Find("picollo_perf_read_with");

    private static readonly nint ReadCounter = Find("picollo_abi_version"), ReadTime = Find("picollo_read_counter");

    public SimulatedPage[] Pages { get; } = pages;

    public static SimulatedPage NewPage(long value) =>
        new() { OffersCounter = true, Index = 1, Width = 48, Offset = value - CounterValue, TimeEnabled = 1_000, TimeRunning = 1_000 };

    /// <summary>The number of readings that read the time.</summary>
    public int ReadsOfTime { get; private set; }

    protected override ulong ReadAll(PerfPage* counters, int count, bool withTimes)
    {
        ReadsOfTime += withTimes ? 1 : 0;
        return ReadWith(counters, count, ReadCounter, withTimes ? ReadTime : 0);
    }

    private static nint Find(string function)
    {
        Libraries.TryLoad("picollo_native", out nint library, out _, out _).Should().BeTrue();
        Libraries.TryGetExport(library, function, out nint address).Should().BeTrue();
        return address;
    }
}
