using System.Numerics;

namespace Picollo.Cpu;

/// <summary>One sample of the machine: counters as they were read, in buffers that are used again.</summary>
internal sealed class SystemCpuSample
{
    private static readonly int PartCount = BitOperations.PopCount((uint)SystemCpuParts.All);

    private readonly string?[] _unavailableReasons = new string?[PartCount];

    /// <summary>When processes, threads and cgroups were read, on the clock that <see cref="ProcessCpu.StartNanoseconds"/> is
    /// on; monotone.</summary>
    public long TimestampNanoseconds { get; set; }

    /// <summary>Without any state where it could not be read.</summary>
    public CpuStateTimes Total { get; set; }

    /// <summary>The CPUs that are online, with their numbers.</summary>
    public SampleList<(int Cpu, CpuStateTimes Times)> Cpus { get; } = new();

    public LoadAverage? LoadAverage { get; set; }

    public RunQueueState? RunQueue { get; set; }

    /// <summary>This process's cgroup, without a share.</summary>
    public CgroupCpu? Cgroup { get; set; }

    /// <summary>The group with the smallest limit, of this one and its ancestors; without a share.</summary>
    public CgroupCpu? LimitingCgroup { get; set; }

    public CpuPressure? Pressure { get; set; }

    public CpuPressure? FullPressure { get; set; }

    public MachineMemory? Memory { get; set; }

    /// <summary>See <see cref="SystemCpu.HasAutogroups"/>.</summary>
    public bool? HasAutogroups { get; set; }

    public SampleTable<TaskSample> Processes { get; } = new();

    public SampleTable<TaskSample> Threads { get; } = new();

    /// <summary>Of the threads of all processes, even where <see cref="Threads"/> are not asked for.</summary>
    public SampleTable<ThreadWait> Waits { get; } = new();

    /// <summary>Why a part is absent or incomplete; null if it is neither.</summary>
    public string? GetUnavailableReason(SystemCpuParts part) => _unavailableReasons[BitOperations.TrailingZeroCount((uint)part)];

    /// <summary>Sets why parts are absent or incomplete: cause and remedy, as a string that need not be made each time.</summary>
    public void SetUnavailableReason(SystemCpuParts parts, string reason)
    {
        for (uint rest = (uint)parts; rest != 0; rest &= rest - 1)
        {
            _unavailableReasons[BitOperations.TrailingZeroCount(rest)] = reason;
        }
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
        TimestampNanoseconds = 0;
        Total = default;
        Cpus.Clear();
        LoadAverage = null;
        RunQueue = null;
        Cgroup = null;
        LimitingCgroup = null;
        Pressure = null;
        FullPressure = null;
        Memory = null;
        HasAutogroups = null;
        Processes.Clear();
        Threads.Clear();
        Waits.Clear();
    }
}

/// <summary>One system's way to read what <see cref="SystemCpu"/> shows. Holds nothing open between samples.</summary>
internal interface ISystemCpuSource
{
    /// <summary>Fills <paramref name="sample"/>, which was cleared, with the parts asked for. Never throws: what cannot be read stays
    /// absent, with the reason in <see cref="SystemCpuSample.SetUnavailableReason"/>. Allocates nothing once all buffers have their size
    /// and all names were seen.</summary>
    void Read(SystemCpuSample sample, SystemCpuParts parts);

    /// <summary>See <see cref="SystemCpu.GetCommandLine"/>; null where the system has no such thing.</summary>
    string[]? GetCommandLine(int processId) => null;
}
