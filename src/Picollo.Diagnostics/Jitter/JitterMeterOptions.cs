using Picollo.Interop.Native;

namespace Picollo.Diagnostics;

/// <summary>The options of a <see cref="JitterMeter"/>.</summary>
/// <remarks>The options are read and checked when a meter starts; later changes do not affect that meter. Not thread-safe while they are
/// changed.</remarks>
public sealed class JitterMeterOptions
{
    /// <summary>The shortest <see cref="Interval"/>: 1 µs.</summary>
    public static TimeSpan MinInterval => TimeSpan.FromMicroseconds(1);

    /// <summary>The longest <see cref="Interval"/>: 1 s.</summary>
    public static TimeSpan MaxInterval => TimeSpan.FromSeconds(1);

    /// <summary>The time between two wake-ups, 1 µs to 1 s; 1 ms by default.</summary>
    public TimeSpan Interval { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>The numbers of the CPUs to measure, at least one, in any order. Duplicates are ignored. <see langword="null"/>, the
    /// default, measures all CPUs on which the main thread of this process may run. A list can contain other CPUs, such as isolated
    /// ones.</summary>
    public IReadOnlyList<int>? Cpus { get; set; }

    /// <summary>The real-time priority (SCHED_FIFO) of the measuring threads, 1 to 99; <see langword="null"/> to keep the inherited
    /// scheduling. The default is 80. If the priority is not permitted, the meter continues without it and
    /// <see cref="JitterMeter.UnavailableReasons"/> contains the reason. Child processes do not inherit it.</summary>
    public int? Priority { get; set; } = 80;

    /// <summary>The duration of the measurement, above 0. All wake-ups that are due within it are measured, at least one.
    /// <see langword="null"/>, the default, measures until <see cref="JitterMeter.Stop"/>. If a CPU is late at the end, the measurement
    /// takes longer. If the CPU is still late a second later, because the interval is too short, the measurement ends without the remaining
    /// wake-ups and <see cref="JitterMeter.UnavailableReasons"/> contains the reason.</summary>
    public TimeSpan? Duration { get; set; }

    /// <summary>The number of wake-ups per CPU after which the measurement ends, 1 or more; <see langword="null"/>, the default, for no
    /// limit. If <see cref="Duration"/> is also set, the first limit that is reached ends the measurement.</summary>
    public long? Loops { get; set; }

    /// <summary>The latency, above 0, that ends the measurement if it is exceeded. The event is marked in the kernel's trace, which is then
    /// stopped (see <see cref="JitterBreak"/>). <see langword="null"/>, the default, for no limit.</summary>
    public TimeSpan? BreakAbove { get; set; }

    /// <summary>Receives every latency of a CPU in batches, on the meter's own thread, which measures nothing. The arguments are the CPU
    /// number, the due time of the first sample (nanoseconds of CLOCK_MONOTONIC; each following sample is due one <see cref="Interval"/>
    /// later), and the latencies in nanoseconds, which are valid only during the call. A batch has no gap; after lost samples, a new batch
    /// starts. During a call, samples wait in memory, and are lost when it is full. An exception that the callback throws ends the
    /// measurement (<see cref="JitterMeter.Completion"/>).</summary>
    internal Action<int, long, ReadOnlySpan<ulong>>? Samples { get; set; }
}

/// <summary>The wake-up whose latency exceeded <see cref="JitterMeterOptions.BreakAbove"/>.</summary>
/// <remarks>The meter writes a mark to the kernel's trace (trace_marker of tracefs) and then stops the trace (0 in tracing_on), so that the
/// trace ends at the mark and keeps the events before it. The machine has only one trace, and it remains stopped. To turn it on again,
/// write 1 to tracing_on. Immutable and thread-safe.</remarks>
public sealed record JitterBreak
{
    internal JitterBreak(int cpu, long latencyNanoseconds, string? markUnavailableReason, string? stopUnavailableReason)
    {
        (Cpu, LatencyNanoseconds) = (cpu, latencyNanoseconds);
        (MarkUnavailableReason, StopUnavailableReason) = (markUnavailableReason, stopUnavailableReason);
    }

    /// <summary>The CPU number.</summary>
    public int Cpu { get; }

    /// <summary>The latency in nanoseconds.</summary>
    public long LatencyNanoseconds { get; }

    /// <summary>Whether the event is marked in the kernel's trace (trace_marker of tracefs).</summary>
    public bool IsMarked => MarkUnavailableReason is null;

    /// <summary>The reason why the event is not marked; <see langword="null"/> if it is.</summary>
    public string? MarkUnavailableReason { get; }

    /// <summary>Whether the kernel's trace was stopped (0 was written to tracing_on of tracefs).</summary>
    public bool IsTracingStopped => StopUnavailableReason is null;

    /// <summary>The reason why the trace was not stopped; <see langword="null"/> if it was.</summary>
    public string? StopUnavailableReason { get; }
}

/// <summary>Valid <see cref="JitterMeterOptions"/>. Times are in nanoseconds; no limit is <see cref="JitterState.Unlimited"/>.</summary>
internal readonly record struct JitterPlan(ulong Interval, ulong Loops, ulong BreakAbove)
{
    public static JitterPlan FromOptions(JitterMeterOptions options)
    {
        ArgumentNullException.ThrowIfNull(options);
        Check(options.Interval >= JitterMeterOptions.MinInterval && options.Interval <= JitterMeterOptions.MaxInterval,
            nameof(options.Interval), options.Interval, "be from 1 µs to 1 s");
        Check(options.Priority is not (< 1 or > 99), nameof(options.Priority), options.Priority, "be from 1 to 99");
        Check(!(options.Duration <= TimeSpan.Zero), nameof(options.Duration), options.Duration, "be more than 0");
        Check(options.Loops is not < 1, nameof(options.Loops), options.Loops, "be 1 or more");
        Check(!(options.BreakAbove <= TimeSpan.Zero), nameof(options.BreakAbove), options.BreakAbove, "be more than 0");
        if (options.Cpus is { } cpus)
        {
            Check(cpus.Count > 0, nameof(options.Cpus), cpus.Count, "contain at least one CPU");
            Check(cpus.All(cpu => cpu >= 0), nameof(options.Cpus), cpus.Min(), "contain only non-negative numbers");
        }

        ulong loops = (ulong?)options.Loops ?? JitterState.Unlimited;
        if (options.Duration is { } duration)
        {
            // The number of due wake-ups is used instead of the clock, because a CPU that is late at the end would lose the pending
            // wake-ups.
            loops = Math.Min(loops, Math.Max((ulong)(duration.Ticks / options.Interval.Ticks), 1));
        }

        ulong breakAbove = options.BreakAbove is { } limit
            ? (ulong)(limit.Ticks * (Int128)TimeSpan.NanosecondsPerTick)
            : JitterState.Unlimited;
        return new JitterPlan((ulong)(options.Interval.Ticks * TimeSpan.NanosecondsPerTick), loops, breakAbove);
    }

    private static void Check(bool isValid, string name, object? value, string rule)
    {
        if (!isValid)
        {
            throw new ArgumentOutOfRangeException(name, value, $"{name} must {rule}.");
        }
    }
}
