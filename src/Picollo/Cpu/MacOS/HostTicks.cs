using Picollo.Interop.MacOS;

namespace Picollo.Cpu.MacOS;

/// <summary>The ticks of a CPU in 64 bits, accumulated from 32-bit counters that are read more often than every 248 days.</summary>
internal struct HostTicks
{
    private const long NanosecondsPerTick = 10_000_000; // CLK_TCK of time.h, 100 Hz on every Mac

    private ProcessorTicks _last;
    private bool _hasStarted;
    private ulong _user;
    private ulong _system;
    private ulong _idle;
    private ulong _nice;

    public readonly CpuStateTimes States => new CpuStateTimes()
        .With(CpuState.User, Nanoseconds(_user))
        .With(CpuState.System, Nanoseconds(_system))
        .With(CpuState.Nice, Nanoseconds(_nice))
        .With(CpuState.Idle, Nanoseconds(_idle));

    /// <summary>Adds the next reading. The first reading is used as is.</summary>
    public void Add(in ProcessorTicks now)
    {
        _user += _hasStarted ? Passed(_last.User, now.User) : now.User;
        _system += _hasStarted ? Passed(_last.System, now.System) : now.System;
        _idle += _hasStarted ? Passed(_last.Idle, now.Idle) : now.Idle;
        _nice += _hasStarted ? Passed(_last.Nice, now.Nice) : now.Nice;
        _last = now;
        _hasStarted = true;
    }

    /// <summary>Returns the sum of the ticks of this CPU and another one.</summary>
    public readonly HostTicks Plus(in HostTicks other) => new()
    {
        _user = _user + other._user,
        _system = _system + other._system,
        _idle = _idle + other._idle,
        _nice = _nice + other._nice,
    };

    // A subtraction, so that a counter may wrap. The upper half of all differences means that the counter decreased; it counts as 0.
    private static uint Passed(uint before, uint now) => now - before <= int.MaxValue ? now - before : 0;

    private static long Nanoseconds(ulong ticks) => (long)Math.Min(ticks, long.MaxValue / NanosecondsPerTick) * NanosecondsPerTick;
}
