namespace Picollo.Profiling;

/// <summary>What a <see cref="CpuProfiler"/> samples.</summary>
public sealed record CpuProfilerOptions
{
    /// <summary>The largest <see cref="Frequency"/>.</summary>
    public const int MaxFrequency = 10_000;

    /// <summary>Samples for each second of CPU time, 1 to <see cref="MaxFrequency"/>. 99 by default, which costs about 0.4 % of the CPU
    /// time of work that does not wait; 999 costs 2 to 5 %. Without the right to sample CPUs (root, <c>CAP_PERFMON</c>), a thread
    /// that waits and is woken costs about 2 µs each time, on a virtual machine. Work whose period is that of
    /// the samples can be missed: 99 and 999 are not multiples of common timer rates.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside of that range.</exception>
    public int Frequency
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1, nameof(Frequency));
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, MaxFrequency, nameof(Frequency));
            field = value;
        }
    } = 99;

    /// <summary>The process, of the same user, or of any user for root; null, as by default, for this one.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1.</exception>
    public int? ProcessId
    {
        get;
        init
        {
            if (value is { } id)
            {
                ArgumentOutOfRangeException.ThrowIfLessThan(id, 1, nameof(ProcessId));
            }

            field = value;
        }
    }

    /// <summary>Whether the kernel's code is sampled, too. That requires <c>kernel.perf_event_paranoid</c> 1 or less, or CAP_PERFMON. False
    /// by default: CPU time in the kernel is then in <see cref="CpuProfile.CpuUsage"/> only.</summary>
    public bool IncludeKernel { get; init; }

    /// <summary>Whether the name of a method is followed by how it was compiled, such as <c>[Tier0]</c>, so that each tier is a function of
    /// its own. False by default.</summary>
    public bool ShowTiers { get; init; }
}
