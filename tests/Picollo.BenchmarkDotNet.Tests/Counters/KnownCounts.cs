namespace Picollo.BenchmarkDotNet.Tests.Counters;

/// <summary>The values of <see cref="KnownCounters"/>, to which benchmarks add.</summary>
public static class KnownCounts
{
    /// <summary>The share of the time in which the counters run. The global setup of a benchmark sets it.</summary>
    public static double Share { get; set; } = 1;

    /// <summary>The messages about unavailable counters. The global setup of a benchmark sets them.</summary>
    public static IReadOnlyList<string> Unavailable { get; set; } = [];

    private static readonly Dictionary<string, ulong> Counts = [];

    public static void Add(string counter, ulong count) => Counts[counter] = Of(counter) + count;

    public static ulong Of(string counter) => Counts.GetValueOrDefault(counter);
}
