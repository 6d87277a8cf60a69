using Picollo.Interop.MacOS;

namespace Picollo.Cpu.MacOS;

/// <summary>Reads the CPUs with <c>host_processor_info</c>, and processes and threads with <c>libproc</c>.</summary>
[SupportedOSPlatform("macos")]
internal sealed unsafe class MacSystemCpuSource : ISystemCpuSource
{
    private const string NoLoadAverage = "macOS refused getloadavg.";

    private static readonly (SystemCpuParts Part, string Reason)[] Unavailable =
    [
        (SystemCpuParts.RunQueue, "macOS does not report the number of runnable threads."),
        (SystemCpuParts.Cgroup, "macOS has no cgroups."),
        (SystemCpuParts.Pressure, "macOS has no pressure stall information."),
        (SystemCpuParts.Memory, "macOS reports the sizes of processes, but not their shared memory. The machine's memory is not read."),
        (SystemCpuParts.Waits, "macOS does not report how long threads wait for a CPU."),
    ];

    private readonly MacTasks _tasks;
    private HostTicks[] _cpus = [];

    public MacSystemCpuSource()
    {
        // Start times are wall-clock times, which can be adjusted. The same offset for all samples keeps each start time constant.
        long unix = (DateTime.UtcNow - DateTime.UnixEpoch).Ticks * TimeSpan.NanosecondsPerTick;
        _tasks = new MacTasks(unix - Now());
    }

    public void Read(SystemCpuSample sample, SystemCpuParts parts)
    {
        ReadStates(sample);
        ReadLoadAverage(sample);
        sample.TimestampNanoseconds = Now();
        sample.SetUnavailableReasons(Unavailable);
        if ((parts & (SystemCpuParts.Processes | SystemCpuParts.Threads)) != 0)
        {
            _tasks.Read(sample, parts);
        }
    }

    private static long Now() => (long)LibSystem.clock_gettime_nsec_np(LibSystem.CLOCK_MONOTONIC_RAW);

    private static void ReadLoadAverage(SystemCpuSample sample)
    {
        double* averages = stackalloc double[3];
        if (LibSystem.getloadavg(averages, 3) == 3)
        {
            sample.LoadAverage = new LoadAverage(averages[0], averages[1], averages[2]);
        }
        else
        {
            sample.SetUnavailableReason(SystemCpuParts.LoadAverage, NoLoadAverage);
        }
    }

    private void ReadStates(SystemCpuSample sample)
    {
        uint processors = 0, ints = 0;
        ProcessorTicks* ticks = null;
        int error = LibSystem.host_processor_info(LibSystem.Host, LibSystem.PROCESSOR_CPU_LOAD_INFO, &processors, &ticks, &ints);
        if (error != 0)
        {
            sample.SetStatesFailure(new(
                "macOS refused host_processor_info(PROCESSOR_CPU_LOAD_INFO).", MeasurementUnavailableCause.Unknown, error));
            return;
        }

        int count = (int)Math.Min(processors, ints * sizeof(int) / (uint)sizeof(ProcessorTicks));
        if (_cpus.Length < count)
        {
            Array.Resize(ref _cpus, count);
        }

        HostTicks total = default;
        for (int i = 0; i < count; i++)
        {
            _cpus[i].Add(ticks[i]);
            sample.Cpus.Add((i, _cpus[i].States));
            total = total.Plus(_cpus[i]);
        }

        sample.Total = total.States;
        _ = LibSystem.vm_deallocate(LibSystem.CurrentTask, (nuint)ticks, ints * sizeof(int));
    }
}

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
