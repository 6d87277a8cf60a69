using Picollo.Cpu;

namespace Picollo;

/// <summary>Helpers for manual measurements: work of a known length, a warm-up of the CPU, and a thread that is pinned to one
/// CPU.</summary>
/// <remarks>Stateless and thread-safe. Only <see cref="PrepareBenchmarkThread(int, out string?)"/> allocates.</remarks>
/// <example><code>
/// session.Read();
/// CpuUtils.AddChain256(1000); // 256,000 cycles
/// session.Read();
/// </code></example>
public static partial class CpuUtils
{
    private const int WarmupBlocks = 1024;

    // At 70 µs each, the chains take 1.4 ms. On a busy machine, some of them are not interrupted.
    private const int WarmupChains = 20;

    /// <summary>Executes a chain of 256 additions, <paramref name="blocks"/> times. Each addition needs the result of the previous one
    /// and takes one cycle on current CPUs, so the core can neither overlap nor reorder them. The total is about
    /// <paramref name="blocks"/> × 256 cycles of the core's clock, and slightly more instructions.</summary>
    /// <param name="blocks">The number of chains. If it is 0 or less, the method does nothing.</param>
    /// <returns>The sum, <paramref name="blocks"/> × 256 × <paramref name="blocks"/> modulo 2⁶⁴. It is returned so that the additions
    /// cannot be optimized away.</returns>
    // Fully optimized immediately, because the first tier keeps the sum in memory, which takes several cycles per addition. Not inlined,
    // because `step` would become a constant, and some cores execute additions of constants while they rename registers, at no cost.
    [MethodImpl(MethodImplOptions.AggressiveOptimization | MethodImplOptions.NoInlining)]
    public static ulong AddChain256(int blocks)
    {
        ulong sum = 0, step = (uint)blocks;
        for (int i = 0; i < blocks; i++)
        {
            sum = Add128(Add128(sum, step), step);
        }

        return sum;
    }

    /// <summary>Keeps the CPU busy for at least 2 ms, so that it reaches the clock frequency of the measurement. Most x64 CPUs need 1 to 2
    /// ms; some arm64 CPUs need 5, so call it three times there.</summary>
    /// <returns>The clock frequency of the core in Hz, estimated from the fastest of at least 20 chains of additions of 0.1 ms each, so
    /// that an interruption does not lower it. The estimate assumes one addition per cycle, as <see cref="AddChain256"/> does.</returns>
    public static double WarmupCpu()
    {
        TimeSpan fastest = TimeSpan.MaxValue;
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < WarmupChains || Stopwatch.GetElapsedTime(start).TotalMilliseconds < 2; i++)
        {
            long chainStart = Stopwatch.GetTimestamp();
            _ = AddChain256(WarmupBlocks);
            TimeSpan taken = Stopwatch.GetElapsedTime(chainStart);
            fastest = taken < fastest ? taken : fastest;
        }

        return WarmupBlocks * 256 / fastest.TotalSeconds;
    }

    /// <summary>Pins the calling thread to one CPU and raises its priority to the highest level that this user may set (Linux: niceness
    /// down to -20; Windows: <see cref="ThreadPriority.Highest"/>). Neither change is undone: call it on a dedicated thread.</summary>
    /// <param name="coreId">The CPU's number, from 0.</param>
    /// <param name="reason">The steps that failed, one sentence each, with the reason and the remedy; <see langword="null"/> if all
    /// succeeded.</param>
    /// <returns><see langword="true"/> if the thread is pinned; otherwise, <see langword="false"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="coreId"/> is negative.</exception>
    public static bool PrepareBenchmarkThread(int coreId, out string? reason)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(coreId);
        return Prepare(CurrentThread.System, coreId, out reason);
    }

    internal static bool Prepare(CurrentThread thread, int coreId, out string? reason)
    {
        string? notPinned = thread.Pin(coreId), notRaised = thread.RaisePriority();
        reason = notPinned is null || notRaised is null ? notPinned ?? notRaised : $"{notPinned} {notRaised}";
        return notPinned is null;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Add128(ulong sum, ulong step)
    {
        sum = Add16(Add16(Add16(Add16(sum, step), step), step), step);
        return Add16(Add16(Add16(Add16(sum, step), step), step), step);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static ulong Add16(ulong sum, ulong step)
    {
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        sum += step;
        return sum;
    }
}
