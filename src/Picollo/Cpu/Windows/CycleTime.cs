using System.Diagnostics;
using Picollo.Timing;

namespace Picollo.Cpu.Windows;

/// <summary>Decides whether a thread's cycle count is a time, and turns it into one: arithmetic and policy, no system call.</summary>
/// <remarks>
/// <para>The documentation of <c>QueryThreadCycleTime</c> warns against converting cycles to time, because the counter of some old CPUs
/// follows their frequency. Where <see cref="CycleClock"/> uses the counter it is invariant; a short burn shows whether Windows counts
/// in the same ticks.</para>
/// <para>One ratio for the process's life: <see cref="CycleClock"/> goes on refining its own, and a cumulative count times a ratio that
/// shrinks would go back. It is off by at most <see cref="CycleClockPolicy.StartErrorBoundPpm"/>, 0.1 ms in a second.</para>
/// </remarks>
internal static class CycleTime
{
    /// <summary>One burn: long enough for the calls around it (a microsecond) to be small, and shorter than a thread mostly runs
    /// undisturbed.</summary>
    private const int BurnMicroseconds = 200;

    /// <summary>The median decides: a burn that was interrupted shows too few cycles, and most are not. About 2 ms, once.</summary>
    private const int Burns = 11;

    /// <summary>Of the burn: a microsecond of calls and as much for what an interrupt takes. Ticks of another kind are off by more
    /// than this, or by nothing that matters.</summary>
    private const double Tolerance = 0.03;

    /// <summary>Whether the calling thread's cycles, at this ratio, come to the time it spends.</summary>
    /// <param name="thread">Its cycle count, and the monotonic clock.</param>
    /// <param name="multiplier">Picoseconds per cycle, as <see cref="TickRatio"/> has it.</param>
    public static bool TellsTime(ICycleTimeSource thread, ulong multiplier)
    {
        Span<double> ratios = stackalloc double[Burns];
        long wanted = thread.ClockFrequency * BurnMicroseconds / 1_000_000;
        for (int i = 0; i < Burns; i++)
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
        return Math.Abs(ratios[Burns / 2] - 1) <= Tolerance;
    }

    /// <summary>Nanoseconds, rounded down, so that more cycles are never less time.</summary>
    public static long ToNanoseconds(ulong cycles, ulong multiplier)
    {
        Debug.Assert(multiplier != 0, "Without a ratio the cycles are not asked for.");
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
