namespace Picollo.Cpu;

/// <summary>The fraction of time that a CPU, or all of them together, spent in each state between two samples.</summary>
/// <remarks>
/// <para>Shares are from 0 to 1, and those present add up to 1. A state that the system does not distinguish is <see langword="null"/>. All
/// shares are <see langword="null"/> if no time was counted between the samples: before the first <see cref="SystemCpu.Update"/>, for a CPU
/// that was offline at the first sample, and if the samples are closer than the system's clock tick (10 ms on Linux).</para>
/// <para>On Linux, the idle and waiting times may decrease, and other times may decrease when a CPU is taken offline. Such a decrease
/// counts as 0. Immutable; the default value has no share.</para>
/// </remarks>
public readonly record struct CpuStates
{
    private readonly PerCpuState<double> _shares;

    private CpuStates(int? cpu, PerCpuState<double> shares, bool hasShares) =>
        (Cpu, _shares, HasShares) = (cpu, shares, hasShares);

    /// <summary>The CPU number that the system uses, from 0; <see langword="null"/> for all CPUs together.</summary>
    public int? Cpu { get; }

    /// <summary>Whether there are shares; <see langword="false"/> if no time was counted between the samples.</summary>
    public bool HasShares { get; }

    /// <summary>The share spent in programs with a nice value of 0 or below, excluding the virtual machines in <see cref="Guest"/>.
    /// <c>mpstat</c> calls it <c>%usr</c>.</summary>
    public double? User => this[CpuState.User];

    /// <summary>The share spent in the kernel, excluding interrupts if the system counts them separately.</summary>
    public double? System => this[CpuState.System];

    /// <summary>The share spent in programs with a nice value of 1 or above, excluding the virtual machines in
    /// <see cref="GuestNice"/>.</summary>
    public double? Nice => this[CpuState.Nice];

    /// <summary>The share in which the CPU had nothing to run.</summary>
    public double? Idle => this[CpuState.Idle];

    /// <summary>The share in which the CPU had nothing to run while a thread that had run on it waited for a disk. Linux only; it is only a
    /// hint there (proc_stat(5)).</summary>
    public double? IOWait => this[CpuState.IOWait];

    /// <summary>The share spent in device interrupts.</summary>
    public double? HardIrq => this[CpuState.HardIrq];

    /// <summary>The share spent in deferred interrupt work: softirqs on Linux, DPCs on Windows.</summary>
    public double? SoftIrq => this[CpuState.SoftIrq];

    /// <summary>The share in which the CPU had work but its hypervisor ran something else.</summary>
    public double? Steal => this[CpuState.Steal];

    /// <summary>The share spent in virtual machines on this host, with a nice value of 0 or below.</summary>
    public double? Guest => this[CpuState.Guest];

    /// <summary>The share spent in virtual machines on this host, with a nice value of 1 or above.</summary>
    public double? GuestNice => this[CpuState.GuestNice];

    private double? this[CpuState state] => _shares[(int)state];

    /// <summary>Formats the shares in percent, in the order and with the letters of <c>top</c>; culture-invariant.</summary>
    /// <returns>A string such as <c>50.5 us,  0.5 sy,  0.0 ni, 49.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st</c>. Absent states are omitted,
    /// and <c>gu</c> and <c>gn</c> appear only if there were guests. Without shares, the string is <c>no time passed</c>.</returns>
    public override string ToString()
    {
        if (!HasShares)
        {
            return "no time passed";
        }

        var text = new StringBuilder();
        Append(text, User, "us");
        Append(text, System, "sy");
        Append(text, Nice, "ni");
        Append(text, Idle, "id");
        Append(text, IOWait, "wa");
        Append(text, HardIrq, "hi");
        Append(text, SoftIrq, "si");
        Append(text, Steal, "st");
        Append(text, Guest > 0 ? Guest : null, "gu");
        Append(text, GuestNice > 0 ? GuestNice : null, "gn");
        return text.ToString();
    }

    /// <summary>Computes the shares from the increase of each counter.</summary>
    internal static CpuStates Between(int? cpu, in CpuStateTimes before, in CpuStateTimes after)
    {
        PerCpuState<double> shares = default;
        double total = 0;
        for (int i = 0; i < PerCpuState<double>.Count; i++)
        {
            // Neither time is negative, so the difference cannot overflow.
            if (after.Nanoseconds((CpuState)i) - before.Nanoseconds((CpuState)i) is { } passed)
            {
                shares[i] = Math.Max(passed, 0);
                total += Math.Max(passed, 0);
            }
        }

        if (total == 0)
        {
            return WithoutShares(cpu);
        }

        for (int i = 0; i < PerCpuState<double>.Count; i++)
        {
            shares[i] /= total;
        }

        return new CpuStates(cpu, shares, hasShares: true);
    }

    internal static CpuStates WithoutShares(int? cpu) => new(cpu, default, hasShares: false);

    private static void Append(StringBuilder text, double? share, string state)
    {
        if (share is not null)
        {
            text.Append(CultureInfo.InvariantCulture, $"{(text.Length > 0 ? ", " : "")}{share * 100,4:0.0} {state}");
        }
    }
}
