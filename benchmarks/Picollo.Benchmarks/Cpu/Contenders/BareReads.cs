using System.Runtime.CompilerServices;
using Picollo.Cpu.Linux;

namespace Picollo.Benchmarks.Cpu.Contenders;

/// <summary>What no total-only read can be faster than: the one call, through the same P/Invoke.</summary>
internal struct BareClock : IRead
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe long Read()
    {
        LibC.TimeSpec time = default;
        _ = LibC.GetClock(LibC.ClockThreadCpuTime, &time);
        return time.TotalNanoseconds;
    }
}

/// <summary>What the document's implementation calls: steps of 4 ms.</summary>
internal struct BareResourceUsage : IRead
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static unsafe long Read()
    {
        LibC.ResourceUsage usage = default;
        _ = LibC.GetResourceUsage(LibC.UsageOfThread, &usage);
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
