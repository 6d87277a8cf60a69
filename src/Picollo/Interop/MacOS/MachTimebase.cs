namespace Picollo.Interop.MacOS;

/// <summary>struct mach_timebase_info of mach/mach_time.h: nanoseconds per unit of Mach absolute time, as a fraction. 1/1 on Intel,
/// 125/3 on Apple silicon.</summary>
internal struct MachTimebase
{
    public uint Numerator;
    public uint Denominator;

    /// <summary>Nanoseconds, rounded down; what does not fit (292 years) stays at the limit. 0 without a fraction.</summary>
    public readonly long ToNanoseconds(ulong units)
    {
        if (Denominator == 0)
        {
            return 0;
        }

        // In 128 bits: with 125/3 the product leaves 64 after seventy days of CPU time.
        UInt128 nanoseconds = (UInt128)units * Numerator / Denominator;
        return nanoseconds <= long.MaxValue ? (long)nanoseconds : long.MaxValue;
    }
}
