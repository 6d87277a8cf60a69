using Clock = Picollo.Cpu.Linux.LibC;

namespace Picollo.Jitter.Linux;

/// <summary>CLOCK_MONOTONIC.</summary>
internal readonly unsafe struct LinuxJitterClock : IJitterClock
{
    private const ulong NanosecondsPerSecond = 1_000_000_000;

    public ulong Now
    {
        get
        {
            Clock.TimeSpec time;
            _ = Clock.GetClock(LibC.ClockMonotonic, &time); // it exists on every Linux
            return (ulong)time.TotalNanoseconds;
        }
    }

    public int SleepUntil(ulong due)
    {
        Clock.TimeSpec time = new() { Seconds = (long)(due / NanosecondsPerSecond), Nanoseconds = (long)(due % NanosecondsPerSecond) };
        return LibC.Sleep(LibC.ClockMonotonic, LibC.TimerAbsolute, &time, null);
    }
}
