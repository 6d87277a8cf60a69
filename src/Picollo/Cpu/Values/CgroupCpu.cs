namespace Picollo.Cpu;

/// <summary>A Linux control group: its CPU limit, its CPU usage, and how often it was throttled.</summary>
/// <remarks>
/// <para>All values except <see cref="Share"/> count from the creation of the group. They are <see langword="null"/> if the kernel does not
/// report them. The root group has no limit and, in v2, no throttling values (in v1, they remain 0). A group without the cpu controller may
/// have only its usage.</para>
/// <para>Sources: cpu.max and cpu.stat of cgroup v2; cpu.cfs_quota_us, cpu.cfs_period_us, cpu.stat and cpuacct.usage of v1
/// (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the kernel). Immutable.</para>
/// </remarks>
public readonly record struct CgroupCpu
{
    /// <summary>The version of the interface, 1 or 2.</summary>
    public int Version { get; internal init; }

    /// <summary>The group's directory.</summary>
    public string Path { get; internal init; }

    /// <summary>The number of CPUs that the group may use: quota divided by period. <see langword="null"/> if the group itself has no
    /// limit.</summary>
    public double? Limit { get; internal init; }

    /// <summary>The CPU time that the processes of the group used, including those of subgroups.</summary>
    public TimeSpan? Usage => UsageNanoseconds is { } usage ? new TimeSpan(usage / TimeSpan.NanosecondsPerTick) : null;

    /// <summary>The CPU time used between the last two samples, divided by the time between them: 1 means one full CPU.
    /// <see langword="null"/> before the first <see cref="SystemCpu.Update"/>, and directly after the process has moved to another
    /// group.</summary>
    public double? Share { get; internal init; }

    /// <summary>The number of enforcement periods in which the group had something to run.</summary>
    public long? PeriodCount { get; internal init; }

    /// <summary>The number of these periods in which the group exhausted its quota.</summary>
    public long? ThrottledPeriodCount { get; internal init; }

    /// <summary>The time for which the group was throttled, summed over CPUs.</summary>
    public TimeSpan? ThrottledTime { get; internal init; }

    internal long? UsageNanoseconds { get; init; }

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture, $"Version = {Version}, Path = {Path}, Limit = {Limit}, Usage = {Usage}, Share = {Share}"
            + $", Periods = {PeriodCount}, ThrottledPeriods = {ThrottledPeriodCount}, ThrottledTime = {ThrottledTime}").Length > 0;

    /// <summary>Returns a copy with the share of the time since an earlier sample of the same group.</summary>
    internal CgroupCpu Since(CgroupCpu? before, long intervalNanoseconds) =>
        intervalNanoseconds > 0 && before is { UsageNanoseconds: { } earlier } other && other.Path == Path && UsageNanoseconds is { } usage
            ? this with { Share = Math.Max(usage - earlier, 0) / (double)intervalNanoseconds }
            : this;
}
