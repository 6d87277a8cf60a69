namespace Picollo.BenchmarkDotNet.Tests.Counters;

/// <summary>What <see cref="KnownCounters"/> count: benchmarks add to it.</summary>
public static class KnownCounts
{
    /// <summary>For which part of the time the counters count. Set by a benchmark's global setup.</summary>
    public static double Share { get; set; } = 1;

    /// <summary>What the counters say that they do not have. Set likewise.</summary>
    public static IReadOnlyList<string> Unavailable { get; set; } = [];

    private static readonly Dictionary<string, ulong> Counts = [];

    public static void Add(string counter, ulong count) => Counts[counter] = Of(counter) + count;

    public static ulong Of(string counter) => Counts.GetValueOrDefault(counter);
}
