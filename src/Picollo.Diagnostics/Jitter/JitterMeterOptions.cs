namespace Picollo.Diagnostics;

/// <summary>How a <see cref="JitterMeter"/> measures.</summary>
/// <remarks>Read and checked when a meter starts; later changes do not affect it. Not thread-safe while it is changed.</remarks>
public sealed class JitterMeterOptions
{
    /// <summary>The shortest <see cref="Interval"/>: 1 µs.</summary>
    public static TimeSpan MinInterval => TimeSpan.FromMicroseconds(1);

    /// <summary>The longest <see cref="Interval"/>: 1 s.</summary>
    public static TimeSpan MaxInterval => TimeSpan.FromSeconds(1);

    /// <summary>The time from one wake-up that is due to the next, 1 µs to 1 s; 1 ms by default.</summary>
    public TimeSpan Interval { get; set; } = TimeSpan.FromMilliseconds(1);

    /// <summary>The CPUs to measure, by number, in any order, one or more; each once, however often it is named. Null, as by default, for
    /// all that this process may run on: its main thread, whatever the calling one is pinned to.</summary>
    public IReadOnlyList<int>? Cpus { get; set; }

    /// <summary>The real-time priority (SCHED_FIFO) of the measuring threads, 1 to 99; null for the scheduling that they are born with. 80
    /// by default; where it is not permitted, <see cref="JitterMeter.UnavailableReasons"/> says so and the meter goes on without. Child
    /// processes do not inherit it.</summary>
    public int? Priority { get; set; } = 80;

    /// <summary>Duration of the measurement, more than 0: all wake-ups that are due within it are measured, at least one. Null, the
    /// default, measures until <see cref="JitterMeter.Stop"/>. It takes longer if a CPU is behind at the end. If it is still behind a
    /// second later, because the interval is too short, the rest is left and <see cref="JitterMeter.UnavailableReasons"/> says
    /// so.</summary>
    public TimeSpan? Duration { get; set; }

    /// <summary>Stop after this number of wake-ups per CPU, 1 or more; null, the default, for no limit. With <see cref="Duration"/>, the
    /// first limit ends the measurement.</summary>
    public long? Loops { get; set; }

    /// <summary>End all threads at a latency above this, more than 0, mark it in the kernel's trace and stop that trace (see
    /// <see cref="JitterBreak"/>); null, as by default, for never.</summary>
    public TimeSpan? BreakAbove { get; set; }

    /// <summary>Receives every latency of a CPU, batch by batch, on the meter's own thread, which measures nothing: the CPU's number, when
    /// the first of the batch was due (nanoseconds of CLOCK_MONOTONIC; each next one <see cref="Interval"/> later), and the latencies in
    /// nanoseconds, valid during the call only. A batch has no gap: after lost samples a new one starts. While a call takes its time,
    /// samples wait in memory, and are lost once that is full. An exception that it throws ends the measurement
    /// (<see cref="JitterMeter.Completion"/>).</summary>
    internal Action<int, long, ReadOnlySpan<ulong>>? Samples { get; set; }
}

/// <summary>The wake-up that was later than <see cref="JitterMeterOptions.BreakAbove"/>.</summary>
/// <remarks>The kernel's trace gets a mark (trace_marker of tracefs) and is then stopped (0 in tracing_on), so that it ends at the mark and
/// keeps what led to it. This is the trace of the whole machine, and it stays off: 1 in tracing_on turns it on again. Immutable and
/// thread-safe.</remarks>
public sealed record JitterBreak
{
    internal JitterBreak(int cpu, long latencyNanoseconds, string? markUnavailableReason, string? stopUnavailableReason)
    {
        (Cpu, LatencyNanoseconds) = (cpu, latencyNanoseconds);
        (MarkUnavailableReason, StopUnavailableReason) = (markUnavailableReason, stopUnavailableReason);
    }

    /// <summary>The CPU.</summary>
    public int Cpu { get; }

    /// <summary>The latency in nanoseconds.</summary>
    public long LatencyNanoseconds { get; }

    /// <summary>Whether the kernel's trace has a mark of it (trace_marker of tracefs).</summary>
    public bool IsMarked => MarkUnavailableReason is null;

    /// <summary>Why it has none; null if it has one.</summary>
    public string? MarkUnavailableReason { get; }

    /// <summary>Whether the kernel's trace was stopped (0 was written to tracing_on of tracefs).</summary>
    public bool IsTracingStopped => StopUnavailableReason is null;

    /// <summary>Why it was not stopped; null if it was.</summary>
    public string? StopUnavailableReason { get; }
}
