namespace Picollo.Metrics;

/// <summary>Converts stopwatch ticks to units of time, exactly and rounded down.</summary>
internal static class StopwatchTicks
{
    /// <summary>Returns <c>floor(ticks * unitsPerSecond / frequency)</c>; 0 for negative ticks; <see cref="ulong.MaxValue"/> if the result
    /// does not fit.</summary>
    /// <remarks>Designed for constants: when it is inlined with <see cref="Stopwatch.Frequency"/>, which is a constant for the JIT, only
    /// one of the four branches remains. The conversion to nanoseconds takes no arithmetic at 10⁹ ticks per second (Linux, macOS), and one
    /// multiplication at 10⁷ (Windows).</remarks>
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

/// <summary>Extends <see cref="Stopwatch"/> with the elapsed time in nanoseconds. A <see cref="TimeSpan"/> has a resolution of only 100
/// ns.</summary>
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
