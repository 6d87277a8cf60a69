using System.Numerics;

namespace Picollo.Peers.Tests.Prometheus;

/// <summary>The default buckets of an exposition, four per octave.</summary>
internal static class CoarseBuckets
{
    /// <summary>Returns the bounds of the bucket that counts a value of 8 or more.</summary>
    public static (double Low, double High) Of(ulong value)
    {
        int step = BitOperations.Log2(value) - 2;
        ulong start = value >> step << step;
        return (start - 1, start + (1UL << step) - 1);
    }
}
