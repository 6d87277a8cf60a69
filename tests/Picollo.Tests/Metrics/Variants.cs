using Picollo.Metrics;

namespace Picollo.Tests.Metrics;

/// <summary>The factories of all variants by name, for tests that select one.</summary>
internal static class Variants
{
    public static IReadOnlyDictionary<string, HdrHistogramFactory> Factories { get; } = new Dictionary<string, HdrHistogramFactory>
    {
        ["plain 32"] = HdrHistogram.Factory,
        ["plain 64"] = HdrHistogram.Factory.WithUInt64Storage(),
        ["interlocked 32"] = HdrHistogram.Factory.WithInterlocked(),
        ["interlocked 64"] = HdrHistogram.Factory.WithInterlocked().WithUInt64Storage(),
        ["thread-local 32"] = HdrHistogram.Factory.WithThreadLocal(),
        ["thread-local 64"] = HdrHistogram.Factory.WithThreadLocal().WithUInt64Storage(),
    };

    public static TheoryData<string> All => [.. Factories.Keys];

    /// <summary>The variants that support concurrent writers.</summary>
    public static TheoryData<string> Concurrent => [.. Factories.Keys.Where(name => !name.StartsWith("plain", StringComparison.Ordinal))];

    public static HdrHistogramFactory Next(Random random) => Factories.Values.ElementAt(random.Next(Factories.Count));
}
