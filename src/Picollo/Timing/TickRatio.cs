using System.Numerics;
using System.Runtime.CompilerServices;

namespace Picollo.Timing;

/// <summary>Picoseconds per tick as a fixed-point number with <see cref="FractionBits"/> binary places: pure arithmetic, no time
/// source.</summary>
/// <remarks>A frequency as an integer number of hertz, kilohertz or ticks per unit loses what calibration gained. 40 places resolve one
/// tick of 3 GHz (333 ps) to 3·10⁻¹⁵ and leave 24 bits before the point, enough for ticks of up to 16 µs. Products are taken in 128 bits,
/// so no interval is too long for them.</remarks>
internal static class TickRatio
{
    /// <summary>Binary places of the multiplier.</summary>
    public const int FractionBits = 40;

    public const long PicosecondsPerSecond = 1_000_000_000_000;

    private const ulong PicosecondsPerNanosecond = 1_000;

    // 2^44 clock ticks (4.9 hours of nanoseconds) times 10^12 < 2^40 times 2^40 is below 2^124.
    private const int ClockTicksBits = 44;

    /// <summary>The ratio, rounded to the nearest, of a counter that took <paramref name="counterTicks"/> while a clock of
    /// <paramref name="clockFrequency"/> hertz took <paramref name="clockTicks"/>; 0 where there is none that fits.</summary>
    public static ulong FromElapsed(long counterTicks, long clockTicks, long clockFrequency)
    {
        if (counterTicks <= 0 || clockTicks <= 0 || clockFrequency <= 0)
        {
            return 0;
        }

        // Of longer times the lowest bits go, on both sides alike; 43 significant ones are left of the clock's.
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

    /// <summary>Ticks per second.</summary>
    public static double ToFrequency(ulong multiplier) => PicosecondsPerSecond * (double)(1UL << FractionBits) / multiplier;

    /// <summary>Picoseconds, rounded down; <see cref="ulong.MaxValue"/> where they do not fit.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong ToPicoseconds(ulong ticks, ulong multiplier)
    {
        // The JIT (.NET 10) hands BigMul's lower half over in memory; a second multiplication is cheaper than the way back.
        ulong high = Math.BigMul(ticks, multiplier, out _);
        ulong low = unchecked(ticks * multiplier);

        // The product without its fraction fits in 64 bits exactly if its upper half has no bit at FractionBits or above.
        return high >> FractionBits == 0 ? high << (64 - FractionBits) | low >> FractionBits : ulong.MaxValue;
    }

    /// <summary>Nanoseconds, rounded down; <see cref="ulong.MaxValue"/> where they do not fit.</summary>
    public static ulong ToNanoseconds(ulong ticks, ulong multiplier)
    {
        UInt128 nanoseconds = ((UInt128)ticks * multiplier >> FractionBits) / PicosecondsPerNanosecond;
        return nanoseconds <= ulong.MaxValue ? (ulong)nanoseconds : ulong.MaxValue;
    }

    /// <summary>The same as <see cref="ToPicoseconds"/> for a difference that may be negative, and without a limit.</summary>
    public static Int128 ToSignedPicoseconds(long ticks, ulong multiplier) => (Int128)ticks * multiplier >> FractionBits;

    /// <summary>How many whole ticks the time takes.</summary>
    public static ulong ToTicks(ulong picoseconds, ulong multiplier) => (ulong)(((UInt128)picoseconds << FractionBits) / multiplier);
}
