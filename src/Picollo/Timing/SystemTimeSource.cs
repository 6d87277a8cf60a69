using System.Diagnostics;

namespace Picollo.Timing;

/// <summary>The CPU's own counter and <see cref="Stopwatch"/>.</summary>
internal sealed unsafe class SystemTimeSource(delegate* unmanaged[SuppressGCTransition]<ulong> readCounter) : ICycleTimeSource
{
    private readonly delegate* unmanaged[SuppressGCTransition]<ulong> _readCounter = readCounter;

    public long ClockFrequency => Stopwatch.Frequency;

    /// <summary>Not called where there is no counter.</summary>
    public long ReadCounter() => (long)_readCounter();

    public long ReadClock() => Stopwatch.GetTimestamp();
}
