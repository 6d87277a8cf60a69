namespace Picollo.Cpu;

/// <summary>One sample of the machine: raw counters, in reusable buffers.</summary>
internal sealed class SystemCpuSample
{
    private static readonly int PartCount = BitOperations.PopCount((uint)SystemCpuParts.All);

    private readonly string?[] _unavailableReasons = new string?[PartCount];

    /// <summary>The time at which processes, threads and cgroups were read, on the clock of <see cref="ProcessCpu.StartNanoseconds"/>;
    /// monotonic.</summary>
    public long TimestampNanoseconds { get; set; }

    /// <summary>The states of all CPUs together; without any state if they could not be read.</summary>
    public CpuStateTimes Total { get; set; }

    /// <summary>Why there are no states; null if there are.</summary>
    public MeasurementUnavailableException? StatesFailure { get; private set; }

    /// <summary>The online CPUs, with their numbers.</summary>
    public SampleList<(int Cpu, CpuStateTimes Times)> Cpus { get; } = new();

    public LoadAverage? LoadAverage { get; set; }

    public RunQueueState? RunQueue { get; set; }

    /// <summary>The cgroup of this process, without a share.</summary>
    public CgroupCpu? Cgroup { get; set; }

    /// <summary>The group with the smallest limit, among this one and its ancestors; without a share.</summary>
    public CgroupCpu? LimitingCgroup { get; set; }

    public CpuPressure? Pressure { get; set; }

    public MachineMemory? Memory { get; set; }

    /// <summary>See <see cref="SystemCpu.HasAutogroups"/>.</summary>
    public bool? HasAutogroups { get; set; }

    public SampleTable<TaskSample> Processes { get; } = new();

    public SampleTable<TaskSample> Threads { get; } = new();

    /// <summary>The waits of the threads of all processes, even if <see cref="Threads"/> are not requested.</summary>
    public SampleTable<ThreadWait> Waits { get; } = new();

    /// <summary>Returns the reason why a part is absent or incomplete; null if it is neither.</summary>
    public string? GetUnavailableReason(SystemCpuParts part) => _unavailableReasons[BitOperations.TrailingZeroCount((uint)part)];

    /// <summary>Sets the reason why parts are absent or incomplete, with the remedy. Pass a constant string, so that a sample does not
    /// allocate.</summary>
    public void SetUnavailableReason(SystemCpuParts parts, string reason)
    {
        for (uint rest = (uint)parts; rest != 0; rest &= rest - 1)
        {
            _unavailableReasons[BitOperations.TrailingZeroCount(rest)] = reason;
        }
    }

    public void SetStatesFailure(MeasurementUnavailableException failure)
    {
        SetUnavailableReason(SystemCpuParts.States, failure.Message);
        StatesFailure = failure;
    }

    public void SetUnavailableReasons(ReadOnlySpan<(SystemCpuParts Part, string Reason)> reasons)
    {
        foreach ((SystemCpuParts part, string reason) in reasons)
        {
            SetUnavailableReason(part, reason);
        }
    }

    public void Clear()
    {
        Array.Clear(_unavailableReasons);
        StatesFailure = null;
        TimestampNanoseconds = 0;
        Total = default;
        Cpus.Clear();
        LoadAverage = null;
        RunQueue = null;
        Cgroup = null;
        LimitingCgroup = null;
        Pressure = null;
        Memory = null;
        HasAutogroups = null;
        Processes.Clear();
        Threads.Clear();
        Waits.Clear();
    }
}

/// <summary>Reads the data of <see cref="SystemCpu"/> on one system. Keeps no file open between samples.</summary>
internal interface ISystemCpuSource
{
    /// <summary>Fills the cleared <paramref name="sample"/> with the requested parts. Never throws: a part that cannot be read remains
    /// absent, with the reason in <see cref="SystemCpuSample.SetUnavailableReason"/>. Does not allocate once all buffers have grown to
    /// their final size and all names have been seen.</summary>
    void Read(SystemCpuSample sample, SystemCpuParts parts);

    /// <summary>See <see cref="SystemCpu.GetCommandLine"/>; null if the system does not support it.</summary>
    string[]? GetCommandLine(int processId) => null;
}
