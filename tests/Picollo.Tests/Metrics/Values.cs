using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>Values at which an index or a carry may be wrong.</summary>
internal static class Values
{
    /// <summary>0, 1, every power of two with its neighbors, and the largest value; ascending.</summary>
    public static IReadOnlyList<ulong> Edges { get; } =
    [
        .. Enumerable.Range(1, 63)
            .SelectMany(exponent => new[] { (1UL << exponent) - 1, 1UL << exponent, (1UL << exponent) + 1 })
            .Append(0UL).Append(ulong.MaxValue - 1).Append(ulong.MaxValue)
            .Distinct().Order(),
    ];

    /// <summary>Returns a value of a random magnitude; all magnitudes have about the same probability.</summary>
    public static ulong NextMagnitude(this Random random) =>
        ((ulong)random.NextInt64(long.MinValue, long.MaxValue)) >> random.Next(64);

    /// <summary>Returns a value from <paramref name="low"/> to <paramref name="high"/>, inclusive.</summary>
    public static ulong NextBetween(this Random random, ulong low, ulong high)
    {
        UInt128 width = (UInt128)high - low + 1;
        UInt128 bits = ((UInt128)(ulong)random.NextInt64(long.MinValue, long.MaxValue) << 32) | (uint)random.Next();
        return low + (ulong)(bits % width);
    }
}
