using Picollo.Cpu;

namespace Picollo.Cli.Top;

/// <summary>The data of a page. Each sample updates it. Unknown values are null.</summary>
internal sealed class TopSample
{
    /// <summary>The time of the sample, in local time.</summary>
    public DateTimeOffset Time { get; set; }

    /// <summary>The time since the previous sample, to which shares refer.</summary>
    public TimeSpan Interval { get; set; }

    public TimeSpan? Uptime { get; set; }

    public int? Users { get; set; }

    public LoadAverage? LoadAverage { get; set; }

    public CpuStates Total { get; set; }

    public IReadOnlyList<CpuStates> Cpus { get; set; } = [];

    public MachineMemory? Memory { get; set; }

    public CpuPressure? Pressure { get; set; }

    /// <summary>The cgroup that limits this process; null if there is none.</summary>
    public TopCgroup? Cgroup { get; set; }

    /// <summary>Whether niceness applies only among the processes of a session (sched(7), autogroup).</summary>
    public bool? HasAutogroups { get; set; }

    public List<TopRow> Processes { get; } = [];

    /// <summary>The threads of all processes; empty if threads are not read.</summary>
    public List<TopRow> Threads { get; } = [];

    /// <summary>The ID of this process. Its row is bold.</summary>
    public int OwnId { get; set; }

    /// <summary>A function that returns the command line of a process; null if the process has exited or its command line cannot be
    /// read.</summary>
    public Func<int, string[]?> CommandLineOf { get; set; } = _ => null;
}

/// <param name="Periods">The number of periods since the previous sample.</param>
/// <param name="ThrottledPeriods">The number of these periods in which the cgroup used up its quota.</param>
/// <param name="ThrottledTime">The throttled time in these periods, summed over CPUs.</param>
internal readonly record struct TopCgroup(CgroupCpu Now, long? Periods, long? ThrottledPeriods, TimeSpan? ThrottledTime);

/// <param name="Thread">The thread; null for the process itself.</param>
/// <param name="User">The name of the effective user, or the ID if the user has no name; "?" if it is unknown. Not sanitized for a
/// terminal.</param>
internal readonly record struct TopRow(ProcessCpu Process, ThreadCpu? Thread, string User)
{
    public long Id => Thread?.Id ?? Process.Id;

    public string Name => Thread is { } thread ? thread.Name : Process.Name;

    public char? State => Thread is { } thread ? thread.State : Process.State;

    public int? Priority => Thread is { } thread ? thread.Priority : Process.Priority;

    public int? Nice => Thread is { } thread ? thread.Nice : Process.Nice;

    public double? Share => Thread is { } thread ? thread.Share : Process.Share;

    public double? WaitShare => Thread is { } thread ? thread.WaitShare : Process.WaitShare;

    public CpuUsage Usage => Thread is { } thread ? thread.Usage : Process.Usage;
}
