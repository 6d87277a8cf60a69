namespace Picollo.Timing;

/// <summary>Arithmetic with the picoseconds per tick, a fixed-point number with <see cref="FractionBits"/> fractional bits. It uses no time
/// source.</summary>
/// <remarks>A frequency in integer hertz, kilohertz or ticks per unit would lose the precision of the calibration. 40 fractional bits
/// resolve one tick of 3 GHz (333 ps) to 3·10⁻¹⁵ and leave 24 bits before the point, enough for ticks of up to 16 µs. Products have 128
/// bits, so intervals of any length are supported.</remarks>
internal static class TickRatio
{
    /// <summary>The fractional bits of the multiplier.</summary>
    public const int FractionBits = 40;

    public const long PicosecondsPerSecond = 1_000_000_000_000;

    private const ulong PicosecondsPerNanosecond = 1_000;

    // 2^44 clock ticks (4.9 hours of nanoseconds) times 10^12 < 2^40 times 2^40 is below 2^124.
    private const int ClockTicksBits = 44;

    /// <summary>Returns the ratio, rounded to nearest, of a counter that advanced by <paramref name="counterTicks"/> while a clock with a
    /// frequency of <paramref name="clockFrequency"/> Hz advanced by <paramref name="clockTicks"/>; 0 if there is no valid ratio.</summary>
    public static ulong FromElapsed(long counterTicks, long clockTicks, long clockFrequency)
    {
        if (counterTicks <= 0 || clockTicks <= 0 || clockFrequency <= 0)
        {
            return 0;
        }

        // For longer times, drop the same number of low bits on both sides. The clock keeps 43 significant bits.
        int excess = Math.Max(0, 64 - BitOperations.LeadingZeroCount((ulong)clockTicks) - ClockTicksBits);
        UInt128 picoseconds = (UInt128)(ulong)(clockTicks >> excess) * PicosecondsPerSecond << FractionBits;
        UInt128 divisor = (UInt128)(ulong)(counterTicks >> excess) * (ulong)clockFrequency;
        if (divisor == 0)
        {
            return 0;
        }

        UInt128 ratio = (picoseconds + divisor / 2) / divisor;
        return ratio <= ulong.MaxValue ? (ulong)ratio : 0;
    }

    public static double ToFrequency(ulong multiplier) => PicosecondsPerSecond * (double)(1UL << FractionBits) / multiplier;

    /// <summary>Converts ticks to picoseconds, rounded down; <see cref="ulong.MaxValue"/> if they do not fit.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong ToPicoseconds(ulong ticks, ulong multiplier)
    {
        // The JIT (.NET 10) returns the lower half of BigMul in memory. A second multiplication is cheaper than the load.
        ulong high = Math.BigMul(ticks, multiplier, out _);
        ulong low = unchecked(ticks * multiplier);

        // The integer part of the product fits in 64 bits if and only if the upper half has no bit at FractionBits or above.
        return high >> FractionBits == 0 ? high << (64 - FractionBits) | low >> FractionBits : ulong.MaxValue;
    }

    /// <summary>Converts ticks to nanoseconds, rounded down; <see cref="ulong.MaxValue"/> if they do not fit.</summary>
    public static ulong ToNanoseconds(ulong ticks, ulong multiplier)
    {
        UInt128 nanoseconds = ((UInt128)ticks * multiplier >> FractionBits) / PicosecondsPerNanosecond;
        return nanoseconds <= ulong.MaxValue ? (ulong)nanoseconds : ulong.MaxValue;
    }

    /// <summary>Converts a difference of ticks, which may be negative, to picoseconds without a limit.</summary>
    public static Int128 ToSignedPicoseconds(long ticks, ulong multiplier) => (Int128)ticks * multiplier >> FractionBits;

    /// <summary>Converts picoseconds to whole ticks, rounded down.</summary>
    public static ulong ToTicks(ulong picoseconds, ulong multiplier) => (ulong)(((UInt128)picoseconds << FractionBits) / multiplier);
}
