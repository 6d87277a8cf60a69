using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Picollo.Metrics;

/// <summary>Conversion of stopwatch ticks to units of time, exact and rounded down.</summary>
internal static class StopwatchTicks
{
    /// <summary><c>floor(ticks * unitsPerSecond / frequency)</c>; 0 for negative ticks, <see cref="ulong.MaxValue"/> where the result does
    /// not fit.</summary>
    /// <remarks>Written for constants: inlined with <see cref="Stopwatch.Frequency"/>, a constant to the JIT, one branch is
    /// left of the four. 10⁹ ticks a second (Linux, macOS) to nanoseconds is no arithmetic at all, 10⁷ (Windows) a
    /// multiplication.</remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong Convert(long ticks, ulong unitsPerSecond, ulong frequency)
    {
        if (ticks <= 0)
        {
            return 0;
        }

        if (frequency == unitsPerSecond)
        {
            return (ulong)ticks;
        }

        if (frequency % unitsPerSecond == 0)
        {
            return (ulong)ticks / (frequency / unitsPerSecond);
        }

        if (unitsPerSecond % frequency == 0)
        {
            ulong overflow = Math.BigMul((ulong)ticks, unitsPerSecond / frequency, out ulong units);
            return overflow == 0 ? units : ulong.MaxValue;
        }

        return ConvertByDivision((ulong)ticks, unitsPerSecond, frequency);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static ulong ConvertByDivision(ulong ticks, ulong unitsPerSecond, ulong frequency)
    {
        UInt128 units = (UInt128)ticks * unitsPerSecond / frequency;
        return units <= ulong.MaxValue ? (ulong)units : ulong.MaxValue;
    }
}

/// <summary>Elapsed time of a <see cref="Stopwatch"/> without the loss of <see cref="TimeSpan"/>, whose ticks are 100 ns.</summary>
public static class StopwatchExtensions
{
    extension(Stopwatch stopwatch)
    {
        /// <summary>The elapsed time in nanoseconds, rounded down.</summary>
        /// <exception cref="ArgumentNullException">The stopwatch is <see langword="null"/>.</exception>
        public ulong ElapsedNanos
        {
            get
            {
                ArgumentNullException.ThrowIfNull(stopwatch);
                return NanoScope.TicksToNanos(stopwatch.ElapsedTicks);
            }
        }
    }
}
