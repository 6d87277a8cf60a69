using Picollo.Metrics;

namespace Picollo.Jitter;

/// <summary>The wake-up latency of one CPU, as far as it is measured. May be read by any thread at any time.</summary>
public sealed class CpuJitter
{
    internal CpuJitter(int cpu, int threadId, HdrHistogram histogram) => (Cpu, ThreadId, Histogram) = (cpu, threadId, histogram);

    /// <summary>The CPU.</summary>
    public int Cpu { get; }

    /// <summary>The system's id of its measuring thread.</summary>
    public int ThreadId { get; }

    /// <summary>The latencies in nanoseconds. Written by the meter while it runs, to be read only.</summary>
    public HdrHistogram Histogram { get; }

    /// <summary>A consistent reading of what is measured by now.</summary>
    /// <returns>Exact, not of buckets.</returns>
    public CpuJitterStatus GetStatus() => throw new NotImplementedException();
}
