namespace Picollo.Cpu;

/// <summary>A Linux control group: its CPU limit, what it used, and how often it was stopped for using too much.</summary>
/// <remarks>
/// <para>All but <see cref="Share"/> count from the group's making, and are null where the kernel does not tell: the root group has
/// no limit and in v2 no throttling (in v1 it stays at 0), and a group without the cpu controller may have usage alone.</para>
/// <para>Sources: cpu.max and cpu.stat of cgroup v2; cpu.cfs_quota_us, cpu.cfs_period_us, cpu.stat and cpuacct.usage of v1
/// (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/ of the kernel). Immutable.</para>
/// </remarks>
public readonly record struct CgroupCpu
{
    /// <summary>The version of the interface, 1 or 2.</summary>
    public int Version { get; internal init; }

    /// <summary>The group's directory.</summary>
    public string Path { get; internal init; }

    /// <summary>How many CPUs' worth of time the group may use: its quota over its period. Null if it has no limit of its
    /// own.</summary>
    public double? Limit { get; internal init; }

    /// <summary>The CPU time that the group's processes used, groups below included.</summary>
    public TimeSpan? Usage => UsageNanoseconds is { } usage ? new TimeSpan(usage / TimeSpan.NanosecondsPerTick) : null;

    /// <summary>The CPU time used between the last two samples over the time between them: 1 is one CPU full. Null before the
    /// first <see cref="SystemCpu.Update"/>, and just after the process has moved to another group.</summary>
    public double? Share { get; internal init; }

    /// <summary>How many enforcement periods passed in which the group had something to run.</summary>
    public long? Periods { get; internal init; }

    /// <summary>In how many of <see cref="Periods"/> it ran out of its quota.</summary>
    public long? ThrottledPeriods { get; internal init; }

    /// <summary>How long it was throttled, CPUs added up.</summary>
    public TimeSpan? ThrottledTime { get; internal init; }

    internal long? UsageNanoseconds { get; init; }

    private bool PrintMembers(System.Text.StringBuilder text) =>
        text.Append(CultureInfo.InvariantCulture, $"Version = {Version}, Path = {Path}, Limit = {Limit}, Usage = {Usage}, Share = {Share}"
            + $", Periods = {Periods}, ThrottledPeriods = {ThrottledPeriods}, ThrottledTime = {ThrottledTime}").Length > 0;

    /// <summary>This with the share of the time since an earlier sample of the same group.</summary>
    internal CgroupCpu Since(CgroupCpu? before, long intervalNanoseconds) =>
        intervalNanoseconds > 0 && before is { UsageNanoseconds: { } earlier } other && other.Path == Path && UsageNanoseconds is { } usage
            ? this with { Share = Math.Max(usage - earlier, 0) / (double)intervalNanoseconds }
            : this;
}
