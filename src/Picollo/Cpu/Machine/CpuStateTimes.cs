namespace Picollo.Cpu;

/// <summary>How long a CPU, or all of them together, spent in each state since the system was started.</summary>
/// <remarks>
/// <para>A state that the system does not distinguish is null; its time is counted in another state. No time is counted in two
/// states: what guests ran is in <see cref="Guest"/> and not in <see cref="User"/>, although Linux itself counts it in both.</para>
/// <para>Windows distinguishes user, system, idle, hard and soft interrupts; macOS user, system, nice and idle; Linux all. Linux counts
/// in steps of 10 ms, and its idle and waiting times may step back. Values above 292 years are held at that. Immutable; the default
/// value has no state.</para>
/// </remarks>
internal readonly record struct CpuStateTimes
{
    private readonly PerCpuState<long> _nanoseconds;

    /// <param name="nanoseconds">The times; none is negative.</param>
    internal CpuStateTimes(PerCpuState<long> nanoseconds) => _nanoseconds = nanoseconds;

    /// <summary>Programs at nice 0 and below.</summary>
    public TimeSpan? User => this[CpuState.User];

    /// <summary>The kernel, without interrupts where the system counts them separately.</summary>
    public TimeSpan? System => this[CpuState.System];

    /// <summary>Programs at nice 1 and above.</summary>
    public TimeSpan? Nice => this[CpuState.Nice];

    /// <summary>Nothing to do.</summary>
    public TimeSpan? Idle => this[CpuState.Idle];

    /// <summary>Nothing to do while a thread that last ran here waits for a disk.</summary>
    public TimeSpan? IOWait => this[CpuState.IOWait];

    /// <summary>Interrupts of devices.</summary>
    public TimeSpan? HardIrq => this[CpuState.HardIrq];

    /// <summary>Deferred work of interrupts: softirqs on Linux, DPCs on Windows.</summary>
    public TimeSpan? SoftIrq => this[CpuState.SoftIrq];

    /// <summary>Ready to run while the hypervisor ran something else.</summary>
    public TimeSpan? Steal => this[CpuState.Steal];

    /// <summary>Virtual machines' CPUs at nice 0 and below.</summary>
    public TimeSpan? Guest => this[CpuState.Guest];

    /// <summary>Virtual machines' CPUs at nice 1 and above.</summary>
    public TimeSpan? GuestNice => this[CpuState.GuestNice];

    private TimeSpan? this[CpuState state] =>
        Nanoseconds(state) is { } nanoseconds ? new TimeSpan(nanoseconds / TimeSpan.NanosecondsPerTick) : null;

    internal long? Nanoseconds(CpuState state) => _nanoseconds[(int)state];

    /// <summary>A copy with one more state; a negative time counts as 0.</summary>
    internal CpuStateTimes With(CpuState state, long nanoseconds)
    {
        PerCpuState<long> times = _nanoseconds;
        times[(int)state] = Math.Max(nanoseconds, 0);
        return new CpuStateTimes(times);
    }
}
