namespace Picollo.Interop.Windows;

/// <summary>FILETIME of minwinbase.h: units of 100 ns in two halves. Not a <see cref="long"/>, which would have to be aligned to
/// eight bytes where this need not be.</summary>
internal struct FileTime
{
    private const long NanosecondsPerUnit = 100;

    public uint Low;
    public uint High;

    /// <summary>An amount of time in nanoseconds; what is too long for them (292 years) stays at the limit.</summary>
    public readonly long Nanoseconds => ToNanoseconds(((ulong)High << 32) | Low);

    /// <summary>The same of a LARGE_INTEGER.</summary>
    public static long ToNanoseconds(ulong units) =>
        units <= long.MaxValue / NanosecondsPerUnit ? (long)units * NanosecondsPerUnit : long.MaxValue;
}
