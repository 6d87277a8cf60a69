namespace Picollo.Cpu;

/// <summary>How long a CPU, or all of them together, spent in each state since the system was started.</summary>
/// <remarks>
/// <para>A state that the system does not tell apart is null, its time being counted in another. No time is counted in two
/// states: what guests ran is <see cref="Guest"/> and not <see cref="User"/>, though Linux itself counts it in both.</para>
/// <para>Windows tells user, system, idle, hard and soft interrupts apart, macOS user, system, nice and idle; Linux all. Linux counts
/// in steps of 10 ms, and its idle and waiting times may step back. Values too large for a
/// <see cref="TimeSpan"/> in nanoseconds (292 years) are held at that. Immutable; the default value has no state at all.</para>
/// </remarks>
public readonly struct CpuStateTimes : IEquatable<CpuStateTimes>
{
    private readonly PerCpuState<long> _nanoseconds;
    private readonly ushort _present;

    private CpuStateTimes(PerCpuState<long> nanoseconds, int present)
    {
        _nanoseconds = nanoseconds;
        _present = (ushort)present;
    }

    /// <summary>Programs at nice 0 and below.</summary>
    public TimeSpan? User => this[CpuState.User];

    /// <summary>The kernel, interrupts apart where they are told apart.</summary>
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

    private TimeSpan? this[CpuState state] => Has(state) ? new TimeSpan(Nanoseconds(state) / TimeSpan.NanosecondsPerTick) : null;

    /// <summary>Whether the two are the same states with the same times.</summary>
    /// <param name="left">One.</param>
    /// <param name="right">The other.</param>
    public static bool operator ==(CpuStateTimes left, CpuStateTimes right) => left.Equals(right);

    /// <summary>Whether the two differ in a state.</summary>
    /// <param name="left">One.</param>
    /// <param name="right">The other.</param>
    public static bool operator !=(CpuStateTimes left, CpuStateTimes right) => !left.Equals(right);

    /// <inheritdoc/>
    public bool Equals(CpuStateTimes other) =>
        _present == other._present && ((ReadOnlySpan<long>)_nanoseconds).SequenceEqual(other._nanoseconds);

    /// <inheritdoc/>
    public override bool Equals(object? obj) => obj is CpuStateTimes other && Equals(other);

    /// <inheritdoc/>
    public override int GetHashCode() => HashCode.Combine(_present, Nanoseconds(CpuState.User), Nanoseconds(CpuState.Idle));

    internal bool Has(CpuState state) => (_present >> (int)state & 1) != 0;

    /// <summary>0 for a state that is not there.</summary>
    internal long Nanoseconds(CpuState state) => _nanoseconds[(int)state];

    /// <summary>This with one more state; a negative time is taken for 0.</summary>
    internal CpuStateTimes With(CpuState state, long nanoseconds)
    {
        PerCpuState<long> times = _nanoseconds;
        times[(int)state] = Math.Max(nanoseconds, 0);
        return new CpuStateTimes(times, _present | (1 << (int)state));
    }
}
