using System.Numerics;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>The buckets of an exposition by default: four an octave.</summary>
internal static class CoarseBuckets
{
    /// <summary>The bounds between which a value of 8 or more is counted.</summary>
    public static (double Low, double High) Of(ulong value)
    {
        int step = BitOperations.Log2(value) - 2;
        ulong start = value >> step << step;
        return (start - 1, start + (1UL << step) - 1);
    }
}
