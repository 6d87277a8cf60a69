namespace Picollo.Samples.CpuWorker.Driving;

/// <summary>How long requests took, in milliseconds.</summary>
public sealed record Latencies(double P50, double P90, double P99, double Max);
