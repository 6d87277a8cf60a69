using System.Diagnostics;

namespace Picollo.Timing;

/// <summary>The two time sources that calibration compares, or a test's stand-ins for them.</summary>
internal interface ICycleTimeSource
{
    /// <summary>The ticks of <see cref="ReadClock"/> in a second.</summary>
    long ClockFrequency => Stopwatch.Frequency;

    /// <summary>The CPU's counter.</summary>
    long ReadCounter();

    /// <summary>The monotonic clock.</summary>
    long ReadClock() => Stopwatch.GetTimestamp();
}

/// <summary>The CPU's own counter and <see cref="Stopwatch"/>.</summary>
internal sealed unsafe class SystemTimeSource(delegate* unmanaged[SuppressGCTransition]<ulong> readCounter) : ICycleTimeSource
{
    /// <summary>Not called where there is no counter.</summary>
    public long ReadCounter() => (long)readCounter();
}
