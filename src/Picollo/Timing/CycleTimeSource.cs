using System.Diagnostics;

namespace Picollo.Timing;

/// <summary>The two time sources that calibration compares. Tests replace them.</summary>
internal interface ICycleTimeSource
{
    /// <summary>The ticks of <see cref="ReadClock"/> per second.</summary>
    long ClockFrequency => Stopwatch.Frequency;

    /// <summary>Reads the CPU's counter.</summary>
    long ReadCounter();

    /// <summary>Reads the monotonic clock.</summary>
    long ReadClock() => Stopwatch.GetTimestamp();
}

/// <summary>The CPU's own counter and <see cref="Stopwatch"/>.</summary>
internal sealed unsafe class SystemTimeSource(delegate* unmanaged[SuppressGCTransition]<ulong> readCounter) : ICycleTimeSource
{
    /// <summary>Reads the CPU's counter. Not called if there is no counter.</summary>
    public long ReadCounter() => (long)readCounter();
}
