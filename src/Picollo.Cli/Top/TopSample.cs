using Picollo.Cpu;

namespace Picollo.Cli.Top;

/// <summary>What a page shows: plain data, filled again with each sample. What is not known is null.</summary>
internal sealed class TopSample
{
    /// <summary>When it was taken, in local time.</summary>
    public DateTimeOffset Time { get; set; }

    /// <summary>What the shares are of.</summary>
    public TimeSpan Interval { get; set; }

    /// <summary>Since the system was started.</summary>
    public TimeSpan? Uptime { get; set; }

    /// <summary>Who is logged in, as often as they are.</summary>
    public int? Users { get; set; }

    public LoadAverage? LoadAverage { get; set; }

    public CpuStates Total { get; set; }

    public IReadOnlyList<CpuStates> Cpus { get; set; } = [];

    public MachineMemory? Memory { get; set; }

    public CpuPressure? Pressure { get; set; }

    /// <summary>Where one limits this process.</summary>
    public TopCgroup? Cgroup { get; set; }

    /// <summary>Whether niceness counts among the processes of a session alone (sched(7), autogroup).</summary>
    public bool? HasAutogroups { get; set; }

    public List<TopRow> Processes { get; } = [];

    /// <summary>Of all processes; empty where threads are not asked for.</summary>
    public List<TopRow> Threads { get; } = [];

    /// <summary>This process, whose row stands out.</summary>
    public int OwnId { get; set; }

    /// <summary>The words that a process was started with; null where it has ended or they cannot be read.</summary>
    public Func<int, string[]?> CommandLineOf { get; set; } = _ => null;
}

/// <summary>The cgroup that limits this process.</summary>
/// <param name="Now">As it is.</param>
/// <param name="Periods">Since the sample before.</param>
/// <param name="ThrottledPeriods">Of them, those in which it ran out of its quota.</param>
/// <param name="ThrottledTime">In them, CPUs added up.</param>
internal readonly record struct TopCgroup(CgroupCpu Now, long? Periods, long? ThrottledPeriods, TimeSpan? ThrottledTime);
