namespace Picollo.Diagnostics;

/// <summary>How a <see cref="JitterMeter"/> measures. Immutable; ranges are checked when it starts.</summary>
public sealed record JitterMeterOptions
{
    /// <summary>1 µs.</summary>
    public static readonly TimeSpan ShortestInterval = TimeSpan.FromMicroseconds(1);

    /// <summary>1 s.</summary>
    public static readonly TimeSpan LongestInterval = TimeSpan.FromSeconds(1);

    /// <summary>The time from one wake-up that is due to the next, 1 µs to 1 s; 1 ms by default.</summary>
    public TimeSpan Interval { get; init; } = TimeSpan.FromMilliseconds(1);

    /// <summary>The CPUs to measure, by number, in any order, one or more; each once, however often it is named. Null, as by default, for
    /// all that this process may run on: its main thread, whatever the calling one is pinned to.</summary>
    public IReadOnlyList<int>? Cpus { get; init; }

    /// <summary>The real-time priority (SCHED_FIFO) of the measuring threads, 1 to 99; null for the scheduling that they are born with. 80
    /// by default; where it is not permitted, <see cref="JitterMeter.UnavailableReasons"/> says so and the meter goes on without. Child
    /// processes do not inherit it.</summary>
    public int? Priority { get; init; } = 80;

    /// <summary>Measure the wake-ups that are due within so long, more than 0, and one at least; null, as by default, until
    /// <see cref="JitterMeter.Stop"/>. It takes longer where a CPU is behind at the end, and what was due is measured to the last; but
    /// where it is behind a second later, as the interval is too short for it, <see cref="JitterMeter.UnavailableReasons"/> says so and the
    /// rest is left.</summary>
    public TimeSpan? Duration { get; init; }

    /// <summary>Measure so many wake-ups on each CPU, 1 or more; null, as by default, for no end. With <see cref="Duration"/> it ends with
    /// what comes first.</summary>
    public long? Loops { get; init; }

    /// <summary>End all threads at a latency above this, more than 0, and mark it in the kernel's trace (see <see cref="JitterBreak"/>);
    /// null, as by default, for never.</summary>
    public TimeSpan? BreakAbove { get; init; }

    /// <summary>Is given every latency; see <see cref="JitterSamplesHandler"/>.</summary>
    public JitterSamplesHandler? Samples { get; init; }
}

/// <summary>Takes latencies as they were measured, a batch of one CPU after another, on a thread of the meter's that measures nothing.
/// While it takes its time, samples wait in memory, and are lost once that is full. What it throws ends the measurement
/// (<see cref="JitterMeter.Completion"/>).</summary>
/// <param name="cpu">The CPU.</param>
/// <param name="firstDueNanoseconds">When the first of them was due, on CLOCK_MONOTONIC; each next one
/// <see cref="JitterMeterOptions.Interval"/> later. A batch holds no gap: after lost samples a new batch begins.</param>
/// <param name="latencyNanoseconds">The latencies; the span is valid during the call only.</param>
public delegate void JitterSamplesHandler(int cpu, long firstDueNanoseconds, ReadOnlySpan<ulong> latencyNanoseconds);

/// <summary>The wake-up that was later than <see cref="JitterMeterOptions.BreakAbove"/>.</summary>
/// <param name="Cpu">Where.</param>
/// <param name="LatencyNanoseconds">How late, in nanoseconds.</param>
/// <param name="IsMarked">Whether a mark of it stands in the kernel's trace (trace_marker of tracefs).</param>
/// <param name="MarkUnavailableReason">Why not; null where it does.</param>
public sealed record JitterBreak(int Cpu, ulong LatencyNanoseconds, bool IsMarked, string? MarkUnavailableReason);
