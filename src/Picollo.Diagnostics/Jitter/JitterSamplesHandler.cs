namespace Picollo.Diagnostics;

/// <summary>Takes latencies as they were measured, a batch of one CPU after another, on a thread of the meter's that measures nothing.
/// While it takes its time, samples wait in memory, and are lost once that is full. What it throws ends the measurement
/// (<see cref="JitterMeter.Completion"/>).</summary>
/// <param name="cpu">The CPU.</param>
/// <param name="firstDueNanoseconds">When the first of them was due, on CLOCK_MONOTONIC; each next one
/// <see cref="JitterMeterOptions.Interval"/> later. A batch holds no gap: after lost samples a new batch begins.</param>
/// <param name="latencyNanoseconds">The latencies; the span is valid during the call only.</param>
public delegate void JitterSamplesHandler(int cpu, long firstDueNanoseconds, ReadOnlySpan<ulong> latencyNanoseconds);
