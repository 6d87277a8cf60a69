using System.Runtime.CompilerServices;
using Picollo.Interop.Linux;

namespace Picollo.Benchmarks.Cpu.Contenders;

/// <summary>What no total-only read can be faster than: the one call, through the same P/Invoke.</summary>
internal struct BareClock : IRead
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe long Read()
    {
        LibC.Timespec time = default;
        _ = LibC.clock_gettime(LibC.CLOCK_THREAD_CPUTIME_ID, &time);
        return time.TotalNanoseconds;
    }
}

/// <summary>What the document's implementation calls: steps of 4 ms.</summary>
internal struct BareResourceUsage : IRead
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe long Read()
    {
        LibC.Rusage usage = default;
        _ = LibC.getrusage(LibC.RUSAGE_THREAD, &usage);
        return usage.User.TotalNanoseconds + usage.Kernel.TotalNanoseconds;
    }
}

/// <summary>What no split read of a step of 1 µs can be faster than: the two calls.</summary>
internal struct BareClockAndResourceUsage : IRead
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static long Read()
    {
        BareClock.Read();
        return BareResourceUsage.Read();
    }
}
