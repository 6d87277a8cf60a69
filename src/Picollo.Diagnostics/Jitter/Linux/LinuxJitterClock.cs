using Picollo.Interop.Linux;

namespace Picollo.Diagnostics.Linux;

/// <summary>CLOCK_MONOTONIC.</summary>
internal readonly unsafe struct LinuxJitterClock : IJitterClock
{
    private const ulong NanosecondsPerSecond = 1_000_000_000;

    public ulong Now
    {
        get
        {
            LibC.Timespec time;
            _ = LibC.clock_gettime(LibC.CLOCK_MONOTONIC, &time); // it exists on every Linux
            return (ulong)time.TotalNanoseconds;
        }
    }

    public int SleepUntil(ulong due)
    {
        LibC.Timespec time = new() { Seconds = (long)(due / NanosecondsPerSecond), Nanoseconds = (long)(due % NanosecondsPerSecond) };
        return LibC.clock_nanosleep(LibC.CLOCK_MONOTONIC, LibC.TIMER_ABSTIME, &time, null);
    }
}
