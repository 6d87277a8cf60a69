using Picollo.Timing;

namespace Picollo.Cpu.Windows;

/// <summary>Decides whether the cycle count of a thread measures time, and converts it. Contains no system calls.</summary>
/// <remarks>
/// <para>The documentation of <c>QueryThreadCycleTime</c> warns against converting cycles to time, because the rate of the counter of some
/// old CPUs follows their frequency. If <see cref="CycleClock"/> uses the counter, its rate is constant. A short busy loop shows whether
/// Windows counts in the same ticks.</para>
/// <para>The ratio is constant for the life of the process: <see cref="CycleClock"/> keeps refining its own ratio, and a cumulative count
/// times a decreasing ratio would decrease. Its error is at most <see cref="CycleClockPolicy.StartErrorBoundPpm"/>, 0.1 ms per
/// second.</para>
/// </remarks>
internal static class CycleTime
{
    /// <summary>The length of one busy loop: much longer than the calls around it (a microsecond), and shorter than a thread usually runs
    /// undisturbed.</summary>
    private const int BusyLoopMicroseconds = 200;

    /// <summary>The number of busy loops. The median decides: an interrupted loop shows too few cycles, but most are not interrupted. All
    /// loops take about 2 ms, once.</summary>
    private const int BusyLoopCount = 11;

    /// <summary>The relative tolerance: a microsecond for the calls, and as much for an interrupt. Ticks of another kind differ by more
    /// than this, or by an irrelevant amount.</summary>
    private const double Tolerance = 0.03;

    /// <summary>Whether the cycles of the calling thread, at this ratio, match the elapsed time.</summary>
    /// <param name="thread">The cycle count of the thread, and the monotonic clock.</param>
    /// <param name="multiplier">Picoseconds per cycle, in the format of <see cref="TickRatio"/>.</param>
    public static bool MeasuresTime(ICycleTimeSource thread, ulong multiplier)
    {
        Span<double> ratios = stackalloc double[BusyLoopCount];
        long wanted = thread.ClockFrequency * BusyLoopMicroseconds / 1_000_000;
        for (int i = 0; i < BusyLoopCount; i++)
        {
            long cycles = thread.ReadCounter();
            long clock = thread.ReadClock();
            if (!TrySpin(thread, clock, wanted, out long passed))
            {
                return false;
            }

            Int128 counted = TickRatio.ToSignedPicoseconds(thread.ReadCounter() - cycles, multiplier);
            ratios[i] = (double)counted * thread.ClockFrequency / ((double)passed * TickRatio.PicosecondsPerSecond);
        }

        ratios.Sort();
        return Math.Abs(ratios[BusyLoopCount / 2] - 1) <= Tolerance;
    }

    /// <summary>Converts cycles to nanoseconds, rounded down, so that more cycles never give less time.</summary>
    public static long ToNanoseconds(ulong cycles, ulong multiplier)
    {
        Debug.Assert(multiplier != 0, "Cycles are not read without a ratio.");
        return (long)Math.Min(TickRatio.ToNanoseconds(cycles, multiplier), long.MaxValue);
    }

    private static bool TrySpin(ICycleTimeSource source, long from, long ticks, out long passed)
    {
        passed = 0;
        for (int reads = 0; passed < ticks; reads++)
        {
            if (reads == CycleClockPolicy.StuckClockReads)
            {
                return false;
            }

            passed = source.ReadClock() - from;
        }

        return true;
    }
}
