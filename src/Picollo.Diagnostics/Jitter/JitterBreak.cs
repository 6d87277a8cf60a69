namespace Picollo.Diagnostics;

/// <summary>The wake-up that was later than <see cref="JitterMeterOptions.BreakAbove"/>.</summary>
/// <param name="Cpu">Where.</param>
/// <param name="LatencyNanoseconds">How late, in nanoseconds.</param>
/// <param name="IsMarked">Whether a mark of it stands in the kernel's trace (trace_marker of tracefs).</param>
/// <param name="MarkUnavailableReason">Why not; null where it does.</param>
public sealed record JitterBreak(int Cpu, ulong LatencyNanoseconds, bool IsMarked, string? MarkUnavailableReason);
